// A text as paragraphs: lines that stand together, between empty ones.

// Unicode's white space, which is not quite what `trim` takes away: every language finds the same paragraphs.
const SPACE = "[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]+";
const EDGES = new RegExp(`^${SPACE}|${SPACE}$`, "g");

/** The paragraphs of a text, in order; the first line of a text is 1. */
export function paragraphs(text) {
  const found = [];
  let lines = [];
  [...text.split("\n"), ""].forEach((raw, index) => {
    const line = raw.replace(EDGES, "");
    if (line !== "") lines.push(line);
    else if (lines.length > 0) {
      found.push(new Paragraph(index + 1 - lines.length, lines));
      lines = [];
    }
  });
  return found;
}

class Paragraph {
  constructor(line, lines) {
    this.line = line;
    this.text = lines.join(" ");
    this.end = line + lines.length;
  }

  holds(line) {
    return this.line <= line && line < this.end;
  }
}
