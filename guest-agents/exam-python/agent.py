"""Does what an agent should not do, to show that nothing comes of it. The twin of ../exam."""

import builtins
import gc

from sandfork import Host, Json, Task, agent, fail

MIB = 1 << 20

count = 0
"""How often this was run, in the memory of a sandbox."""
kept: list[str | bytearray] = []
"""What was kept, in the memory of a sandbox."""


def run(task: Task, host: Host) -> Json:
    global count
    match task.need_text("do"):
        case "count":
            count += 1
            kept.append("once")
            return {"count": count, "kept": len(kept)}
        case "keep":
            text = task.need_text("text")
            kept.append(text * (MIB // len(text)))
            setattr(builtins, "left", text)
            return {"kept": True}
        case "seek":
            return {"found": seek(task.need_text("text")) or any(bytearray(MIB))}
        case "grow":
            while True:
                kept.append(bytearray(b"x" * MIB))
        case "spin":
            while True:
                count += 1
        case "wait":
            host.sleep(task.need("ms"))
            return {"waited": task.need("ms")}
        case "recurse":
            return {"depth": recurse(0)}
        case "fail":
            fail("asked_to_fail", "as it was told", {"asked": True})
        case "throw":
            return {"told": {}["told"]}
    return None


def seek(backwards: str) -> bool:
    """Looks at every text that a container holds. It comes backwards: what it looks for must not stand in its own task."""
    wanted = backwards[::-1]
    frame = {id(wanted)}
    for container in gc.get_objects():
        for held in gc.get_referents(container):
            if isinstance(held, str) and id(held) not in frame and wanted in held:
                return True
    return hasattr(builtins, "left")


def recurse(depth: int) -> int:
    return recurse(depth + 1) + 1


WitWorld = agent(run)
