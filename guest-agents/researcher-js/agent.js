// Finds what a workspace says, and where: paragraphs of one file, or those that a pattern occurs in. Draws no conclusion.
// The twin of ../researcher: outcome, notes and calls are the same.

import { agent, blocked, ToolError } from "./sandfork.js";
import { paragraphs } from "./paragraphs.js";

/** Most findings that are returned; a reader who needs more asks more narrowly. */
const MOST_FINDINGS = 50;
/** Most files that are read for one search. */
const MOST_FILES = 8;

export const run = agent((task, host) => {
  const { path, pattern } = task.context;
  if (typeof pattern === "string") return search(host, pattern, path).toOutput(task.goal);
  if (typeof path === "string") return read(host, path).toOutput(task.goal);
  return blocked(["path", "pattern"]);
});

// All paragraphs of one file. A file that cannot be read is a failure: nothing else was asked for.
function read(host, path) {
  const findings = new Findings();
  findings.addFile(path, paragraphs(readText(host, path)));
  return findings;
}

// The paragraphs that a pattern occurs in. A file that cannot be read is named as unresolved: others may do.
function search(host, pattern, below) {
  host.note(`searching for ${pattern}`);
  const args = typeof below === "string" ? { pattern, path: below } : { pattern };
  const { matches, truncated } = call(host, "search_files", args, (answer) => Array.isArray(answer.matches));
  const findings = new Findings();
  if (truncated) findings.unresolved.push(`the search for ${pattern} was cut`);
  for (const inFile of byFile(matches)) {
    const { path } = inFile[0];
    if (findings.files === MOST_FILES) {
      findings.unresolved.push(`${path} and what follows were not read`);
      break;
    }
    try {
      const isHit = (paragraph) => inFile.some(({ line }) => paragraph.holds(line));
      findings.addFile(path, paragraphs(readText(host, path)).filter(isHit));
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      findings.unresolved.push(`${path} was not read: ${error.code}`);
    }
  }
  return findings;
}

function readText(host, path) {
  host.note(`reading ${path}`);
  return call(host, "read_file", { path }, (answer) => typeof answer.text === "string").text;
}

// A tool's answer over its limit comes cut, in another shape than the answer itself.
function call(host, name, args, isExpected) {
  const answer = host.tool(name, args);
  if (isExpected(answer)) return answer;
  const [code, message, details] =
    answer.truncated === true
      ? ["truncated", `the answer of ${name} was over its limit and was cut; ask for less`, answer]
      : ["unexpected_answer", `${name} answered something else than expected`, {}];
  throw new ToolError(name, { code, message, details });
}

// Matches come sorted, those of one file in a row.
function byFile(matches) {
  const files = [];
  for (const match of matches) {
    const last = files.at(-1);
    if (last?.[0].path === match.path) last.push(match);
    else files.push([match]);
  }
  return files;
}

// What has been found so far, and what could not be.
class Findings {
  found = [];
  files = 0;
  unresolved = [];

  addFile(path, paragraphs) {
    this.files += 1;
    for (const { line, text } of paragraphs) {
      if (this.found.length === MOST_FINDINGS) {
        this.unresolved.push(`${path}:${line} and what follows were left out`);
        return;
      }
      this.found.push({ source: `${path}:${line}`, text });
    }
  }

  toOutput(goal) {
    return {
      findings: this.found,
      summary: `${goal}: ${this.found.length} findings in ${this.files} files`,
      evidence_refs: this.found.map(({ source }) => source),
      unresolved: this.unresolved,
    };
  }
}
