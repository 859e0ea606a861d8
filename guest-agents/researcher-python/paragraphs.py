"""A text as paragraphs: lines that stand together, between empty ones."""

from collections.abc import Iterator
from dataclasses import dataclass

# Unicode's white space, which is not quite what `strip` takes away: every language finds the same paragraphs.
SPACE = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


@dataclass(frozen=True)
class Paragraph:
    """Lines that stand together; `line` is the number of the first, and the first of a text is 1."""

    line: int
    lines: list[str]

    @property
    def text(self) -> str:
        """Its words in one line."""
        return " ".join(self.lines)

    def holds(self, line: int) -> bool:
        """Whether a line of the text is one of these."""
        return self.line <= line < self.line + len(self.lines)


def paragraphs(text: str) -> Iterator[Paragraph]:
    """The paragraphs of a text, in order."""
    lines: list[str] = []
    for number, raw in enumerate([*text.split("\n"), ""], start=1):
        line = raw.strip(SPACE)
        if line:
            lines.append(line)
        elif lines:
            yield Paragraph(number - len(lines), lines)
            lines = []
