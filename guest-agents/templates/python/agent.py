"""The agent {{name}}: reads one file and says how large it is."""

from sandfork import Host, Json, Task, agent


def run(task: Task, host: Host) -> Json:
    path = task.context.get("path", "todo.txt")
    host.note(f"reading {path}")
    file = host.tool("read_file", {"path": path})
    return {"bytes": file["bytes"], "reply": f"{task.goal}: {file['bytes']} bytes"}


WitWorld = agent(run)
