"""Finds what a workspace says, and where: paragraphs of one file, or those that a pattern occurs in. Draws no conclusion.

The twin of ../researcher: outcome, notes and calls are the same.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from paragraphs import Paragraph, paragraphs
from sandfork import ErrorData, Host, Json, Task, ToolError, agent, blocked

MOST_FINDINGS = 50
"""Most findings that are returned; a reader who needs more asks more narrowly."""
MOST_FILES = 8
"""Most files that are read for one search."""


@dataclass
class Findings:
    """What has been found so far, and what could not be."""

    found: list[dict[str, str]] = field(default_factory=list)
    files: int = 0
    unresolved: list[str] = field(default_factory=list)

    def add_file(self, path: str, paragraphs: Iterable[Paragraph]) -> None:
        self.files += 1
        for paragraph in paragraphs:
            if len(self.found) == MOST_FINDINGS:
                self.unresolved.append(f"{path}:{paragraph.line} and what follows were left out")
                return
            self.found.append({"source": f"{path}:{paragraph.line}", "text": paragraph.text})

    def to_output(self, goal: str) -> Json:
        return {
            "findings": self.found,
            "summary": f"{goal}: {len(self.found)} findings in {self.files} files",
            "evidence_refs": [finding["source"] for finding in self.found],
            "unresolved": self.unresolved,
        }


def run(task: Task, host: Host) -> Json:
    path, pattern = task.context.get("path"), task.context.get("pattern")
    if isinstance(pattern, str):
        return search(host, pattern, path).to_output(task.goal)
    if isinstance(path, str):
        return read(host, path).to_output(task.goal)
    blocked(["path", "pattern"])


def read(host: Host, path: str) -> Findings:
    """All paragraphs of one file. A file that cannot be read is a failure: nothing else was asked for."""
    findings = Findings()
    findings.add_file(path, paragraphs(read_text(host, path)))
    return findings


def search(host: Host, pattern: str, below: Any) -> Findings:
    """The paragraphs that a pattern occurs in. A file that cannot be read is named as unresolved: others may do."""
    host.note(f"searching for {pattern}")
    arguments = {"pattern": pattern, "path": below} if isinstance(below, str) else {"pattern": pattern}
    answer = call(host, "search_files", arguments, lambda answer: isinstance(answer.get("matches"), list))
    findings = Findings()
    if answer["truncated"]:
        findings.unresolved.append(f"the search for {pattern} was cut")
    # Matches come sorted, those of one file in a row.
    for path, in_file in groupby(answer["matches"], key=lambda match: match["path"]):
        if findings.files == MOST_FILES:
            findings.unresolved.append(f"{path} and what follows were not read")
            break
        hits = [match["line"] for match in in_file]
        try:
            text = read_text(host, path)
        except ToolError as error:
            findings.unresolved.append(f"{path} was not read: {error.code}")
            continue
        findings.add_file(path, (found for found in paragraphs(text) if any(found.holds(line) for line in hits)))
    return findings


def read_text(host: Host, path: str) -> str:
    host.note(f"reading {path}")
    text: str = call(host, "read_file", {"path": path}, lambda answer: isinstance(answer.get("text"), str))["text"]
    return text


def call(host: Host, name: str, arguments: dict[str, Any], is_expected: Callable[[Any], bool]) -> Any:
    """A tool's answer over its limit comes cut, in another shape than the answer itself."""
    answer = host.tool(name, arguments)
    if is_expected(answer):
        return answer
    if answer.get("truncated") is True:
        message = f"the answer of {name} was over its limit and was cut; ask for less"
        raise ToolError(name, ErrorData("truncated", message, answer))
    raise ToolError(name, ErrorData("unexpected_answer", f"{name} answered something else than expected", {}))


WitWorld = agent(run)
