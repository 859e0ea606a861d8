"""{{name}}: reads the file that its task names and says how large it is."""

from sandfork import Host, Json, Task, agent


def run(task: Task, host: Host) -> Json:
    # Absent from the context? The fork ends `blocked` and names the field.
    path = task.need_text("path")
    host.note(f"reading {path}")
    # A tool's error ends this fork with the tool's code; catch the `ToolError` to go on without the file.
    file = host.tool("read_file", {"path": path})
    return {"reply": f"{path} has {file['bytes']} bytes", "bytes": file["bytes"]}


WitWorld = agent(run)
