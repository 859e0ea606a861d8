"""What an agent in Python sees of its host: `agent` exports it, `Host` is all that it can reach.

Knows nothing of plans. It also closes what the toolchain leaves ajar: what would trap in a sandbox raises instead.
"""

import builtins
import io
import json
import os
import random
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import TracebackType
from typing import Any, NoReturn, TypeAlias

from componentize_py_types import Err
from wit_world.imports import orchestrator

Json: TypeAlias = "None | bool | int | float | str | Sequence[Json] | Mapping[str, Json]"
"""What crosses: JSON and nothing else. Whole numbers are exact, others are doubles."""


class Failure(Exception):
    """Ends the agent with an error of its own choice when raised: see `fail` and `blocked`."""

    def __init__(self, code: str, message: str, details: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details: Any = {} if details is None else details


class ToolError(Failure):
    """A tool's error. Catch it to go on; uncaught it ends the agent with the tool's own code."""

    def __init__(self, tool: str, error: "ErrorData") -> None:
        super().__init__(error.code, error.message, error.details)
        self.tool = tool


class ChildError(Failure):
    """A child that is not ok. Catch it to go on; uncaught it ends the agent with the child's own code."""

    def __init__(self, outcome: "Outcome") -> None:
        error = outcome.error or ErrorData("", "", {})
        super().__init__(error.code, error.message, error.details)
        self.outcome = outcome


def fail(code: str, message: str, details: Any = None) -> NoReturn:
    """Ends the agent with an error: a stable code in snake case, a sentence, an object with the particulars."""
    raise Failure(code, message, details)


def blocked(missing: Iterable[str]) -> NoReturn:
    """Ends the agent as `blocked`: it cannot go on until it is given these fields."""
    fields = list(missing)
    raise Failure("blocked", f"missing: {', '.join(fields)}", {"missing": fields})


@dataclass(frozen=True)
class Task:
    """What this fork was given; `sandfork schema task` has the whole shape."""

    run_id: str
    task_id: str
    parent_task_id: str | None
    agent: str
    depth: int
    goal: str
    acceptance_criteria: list[str]
    context: Any
    """The fork's own input."""
    shared: Any
    """The run's read-only input, the same for all forks."""
    context_refs: list[str]
    tools: list[Any]
    """What may be called, with schemas."""
    spawn: list[str]
    """Whom it may fork."""
    output_schema: Any
    budget: Any
    """The limits as declared."""
    messages: list[dict[str, str]]
    """The two opening messages for a model."""

    def need(self, field: str) -> Any:
        """A field of the context; absent or null it ends the agent as `blocked`, naming the field."""
        value = self.context.get(field)
        return blocked([field]) if value is None else value

    def need_text(self, field: str) -> str:
        """A text field of the context; absent or no text it ends the agent as `blocked`, naming the field."""
        value = self.need(field)
        return value if isinstance(value, str) else blocked([field])


@dataclass(frozen=True)
class Request:
    """One fork to ask for. All but the first two may be absent."""

    agent: str
    goal: str
    context: dict[str, Any] = field(default_factory=dict)
    id: str | None = None
    tools: list[str] | None = None
    budget: dict[str, Any] | None = None
    budget_min: dict[str, Any] | None = None
    timeout_ms: int | None = None
    on_failure: str | None = None
    critical: bool | None = None
    low_value: bool | None = None
    output_schema: Any = None
    acceptance_criteria: list[str] | None = None
    context_refs: list[str] | None = None


@dataclass(frozen=True)
class ErrorData:
    """The one error structure."""

    code: str
    message: str
    details: Any


@dataclass(frozen=True)
class Outcome:
    """How one requested fork ended: a refusal and a failure are outcomes too."""

    task_id: str
    agent: str
    status: str
    """`ok, failed, timeout, out_of_fuel, out_of_budget, refused, blocked` or `cancelled`."""
    output: Any
    """`None` unless ok."""
    error: ErrorData | None
    info: Any
    """Counts and fuel."""

    @property
    def ok(self) -> bool:
        """Whether the output may be used."""
        return self.status == "ok"


_HALF = re.compile("[\ud800-\udfff]")


def _plain(text: object) -> str:
    # Half a surrogate pair is no UTF-8 and would trap on its way out.
    return _HALF.sub("\ufffd", str(text))


def _write(value: Any) -> str:
    return _plain(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")))


def _error(error: orchestrator.Error) -> ErrorData:
    return ErrorData(error.code, error.message, json.loads(error.details))


def _asked(request: Request) -> orchestrator.Request:
    options = {key: value for key, value in vars(request).items() if value is not None}
    agent, goal, context = options.pop("agent"), options.pop("goal"), options.pop("context", {})
    return orchestrator.Request(_plain(agent), _plain(goal), _write(context), _write(options))


def _spawn(requests: Iterable[Request], options: Any) -> list[Outcome]:
    return [
        Outcome(
            outcome.task_id,
            outcome.agent,
            outcome.status,
            None if outcome.output is None else json.loads(outcome.output),
            None if outcome.error is None else _error(outcome.error),
            json.loads(outcome.info),
        )
        for outcome in orchestrator.spawn([_asked(request) for request in requests], _write(options))
    ]


class Host:
    """Everything an agent can reach. Each call is answered by the orchestrator before it returns."""

    def note(self, text: str) -> None:
        """Writes a line into this fork's private notebook."""
        orchestrator.note(_plain(text))

    def tool(self, name: str, arguments: dict[str, Any] | None = None) -> Any:
        """Calls a tool and returns its result; raises a `ToolError` if it answers with an error."""
        try:
            answer = orchestrator.tool(_plain(name), _write({} if arguments is None else arguments))
        except Err as refusal:
            raise ToolError(name, _error(refusal.value)) from None
        return json.loads(answer)

    def spawn(self, request: Request) -> Outcome:
        """Forks one agent and waits for it; raises a `ChildError` if its outcome is not ok."""
        outcome = _spawn([request], {})[0]
        if not outcome.ok:
            raise ChildError(outcome)
        return outcome

    def spawn_all(self, requests: Iterable[Request]) -> list[Outcome]:
        """All at once; returns when all have ended, in the order asked for."""
        return _spawn(requests, {"return": "all"})

    def first_ok(self, requests: Iterable[Request]) -> list[Outcome]:
        """All at once; the first that is ok ends the wait, the rest are cancelled."""
        return _spawn(requests, {"return": "first_ok"})

    def quorum(self, enough: int, requests: Iterable[Request]) -> list[Outcome]:
        """All at once; the first `enough` that are ok end the wait, the rest are cancelled."""
        return _spawn(requests, {"return": {"quorum": enough}})

    def model(self, arguments: dict[str, Any]) -> Any:
        """One model call, which is one turn."""
        return self.tool("model", arguments)

    def sleep(self, ms: int) -> None:
        """Lets time pass on this fork's own clock."""
        self.tool("sleep", {"ms": ms})

    def budget(self) -> Any:
        """What is left: `{"left": {"fuel", "turns", "time_ms", …}, "run": {…}}`."""
        return self.tool("budget")


_FIELDS = tuple(member.name for member in fields(Task))


def agent(body: Callable[[Task, Host], Any]) -> type:
    """Makes the component's export of a function that takes the task and the host and returns the output.

    The toolchain looks for it under the name `WitWorld`: `WitWorld = agent(run)`.
    """

    class WitWorld:
        def run(self, task: str) -> str:
            try:
                _seal()
                document = json.loads(task)
                return _write(body(Task(**{name: document.get(name) for name in _FIELDS}), Host()))
            except Failure as failure:
                error = _told(failure)
            except BaseException as exception:
                error = _exception(exception)
            raise Err(error)

    return WitWorld


def _told(failure: Failure) -> orchestrator.Error:
    try:
        return orchestrator.Error(_plain(failure.code), _plain(failure.message), _write(_details(failure)))
    except Exception as worse:
        return _exception(worse)


def _details(failure: Failure) -> Any:
    """A failure that is handed on says whose it was."""
    if isinstance(failure, ToolError):
        return _with(failure.details, "tool", failure.tool)
    if isinstance(failure, ChildError):
        child = failure.outcome
        return _with(failure.details, "child", {"task_id": child.task_id, "agent": child.agent, "status": child.status})
    return failure.details


def _with(details: Any, key: str, value: Any) -> Any:
    if not isinstance(details, dict):
        details = {} if details is None else {"details": details}
    return {**details, key: value}


def _exception(exception: BaseException) -> orchestrator.Error:
    details = {"type": type(exception).__name__}
    place = _where(exception.__traceback__)
    if place is not None:
        details["where"] = place
    try:
        message = str(exception)
    except Exception:
        message = "an exception that cannot be told"
    return orchestrator.Error("exception", _plain(message), _write(details))


def _where(frames: TracebackType | None) -> str | None:
    """The innermost frame of the agent's own files: `agent.py:12`. The library's and this file's tell nobody anything."""
    place = None
    while frames is not None:
        path = frames.tb_frame.f_code.co_filename
        name = path.rsplit("/", 1)[-1]
        if name != "sandfork.py" and not path.startswith(("/python/", "/bundled/", "<")):
            place = f"{name}:{frames.tb_lineno}"
        frames = frames.tb_next
    return place


# What follows turns a trap into an exception that says what is wrong. A sandbox has no clock, chance or files, and what
# Python would offer instead was baked in when the agent was built.


def _absent(what: str) -> Callable[..., NoReturn]:
    def absent(*_arguments: Any, **_named: Any) -> NoReturn:
        raise OSError(f"a sandbox has no {what}; take it from the task, or from a tool's answer")

    return absent


_CLOCKS = ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "process_time", "sleep")
_FILES = ("open", "listdir", "scandir", "stat", "lstat", "access", "getcwd", "mkdir", "rmdir", "remove", "rename")


def _seal() -> None:
    """Runs before the agent and not when it is built: importing a module needs files, and may want the time."""
    for name in _CLOCKS:
        setattr(time, name, _absent("clock"))
    for name in _FILES:
        setattr(os, name, _absent("files"))
    builtins.open = io.open = _absent("files")
    os.urandom = _absent("randomness")
    for name in random.__all__:
        if getattr(getattr(random, name), "__self__", None) is random._inst:
            setattr(random, name, _absent("randomness"))
    sys.meta_path[:] = [_Late]
    sys.stdout = sys.stderr = _Notebook()


class _Late:
    """The last finder: the component holds what was imported when it was built, and nothing else."""

    @staticmethod
    def find_spec(name: str, _path: Any = None, _target: Any = None) -> NoReturn:
        raise ImportError(f"{name} was not imported when the agent was built; import it at the top of the file")


class _Notebook(io.TextIOBase):
    """Where `print` goes: each line becomes a note."""

    def __init__(self) -> None:
        self._line = ""

    def write(self, text: str) -> int:
        *lines, self._line = (self._line + text).split("\n")
        for line in lines:
            orchestrator.note(_plain(line))
        return len(text)
