// What an agent in JavaScript or TypeScript sees of its host: `agent` exports it, `host` is all that it can reach.
// It knows nothing of engines beyond what differs between QuickJS and StarlingMonkey, and of plans nothing at all.

import * as orchestrator from "sandfork:agent/orchestrator@0.1.0";

/** @typedef {null | boolean | number | string | Json[] | { [key: string]: Json }} Json What crosses: JSON and nothing else. */

/**
 * @typedef {object} Task What this fork was given; `sandfork schema task` has the whole shape.
 * @property {string} run_id
 * @property {string} task_id
 * @property {string | null} parent_task_id
 * @property {string} agent
 * @property {number} depth
 * @property {string} goal
 * @property {string[]} acceptance_criteria
 * @property {{ [key: string]: any }} context The whole input besides `shared`.
 * @property {any} shared The run's read-only input.
 * @property {string[]} context_refs
 * @property {any[]} tools The granted tools with their schemas.
 * @property {string[]} spawn The agents it may fork.
 * @property {any} output_schema
 * @property {any} budget The declared limits.
 * @property {any[]} messages The two opening messages.
 */

/**
 * @typedef {object} Request One fork to ask for. All but `agent` and `goal` may be absent.
 * @property {string} agent
 * @property {string} goal
 * @property {{ [key: string]: Json }} [context]
 * @property {string} [id]
 * @property {string[]} [tools]
 * @property {{ [key: string]: number | "unlimited" }} [budget]
 * @property {{ [key: string]: number | "unlimited" }} [budget_min]
 * @property {number} [timeout_ms]
 * @property {"propagate" | "skip"} [on_failure]
 * @property {boolean} [critical]
 * @property {boolean} [low_value]
 * @property {Json} [output_schema]
 * @property {string[]} [acceptance_criteria]
 * @property {string[]} [context_refs]
 */

/** @typedef {{ code: string, message: string, details: any }} ErrorData The one error structure. */

/**
 * @typedef {object} Outcome How one requested fork ended. A refusal and a failure are outcomes too, never exceptions.
 * @property {string} task_id
 * @property {string} agent
 * @property {string} status `ok, failed, timeout, out_of_fuel, out_of_budget, refused, blocked` or `cancelled`.
 * @property {boolean} ok
 * @property {any} output `null` unless ok.
 * @property {ErrorData | null} error `null` if ok.
 * @property {any} info Counts and fuel.
 */

/** Ends the agent with an error of its own choice when thrown: see `fail` and `blocked`. */
export class Failure extends Error {
  /** @param {string} code @param {string} message @param {any} details */
  constructor(code, message, details = {}) {
    super(message);
    this.name = "Failure";
    this.code = code;
    this.details = details;
  }
}

/** A tool's error. Catch it to go on; uncaught it ends the agent with the tool's own code. */
export class ToolError extends Failure {
  /** @param {string} code @param {string} message @param {any} details */
  constructor(code, message, details) {
    super(code, message, details);
    this.name = "ToolError";
  }
}

/**
 * Ends the agent with an error.
 * @param {string} code Stable, snake case.
 * @param {string} message What happened, to whom, what to do.
 * @param {Json} [details] An object with the particulars.
 * @returns {never}
 */
export function fail(code, message, details = {}) {
  throw new Failure(code, message, details);
}

/**
 * Ends the agent as `blocked`: it cannot go on until it is given these fields.
 * @param {string[]} missing
 * @returns {never}
 */
export function blocked(missing) {
  throw new Failure("blocked", `missing: ${missing.join(", ")}`, { missing });
}

// Half a surrogate pair is no UTF-8: a binding traps on it, and the host takes no JSON that escapes one.
/** @param {unknown} text @returns {string} */
const plain = (text) => String(text).replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "\uFFFD");

/** @param {unknown} value @param {string} what @returns {string} */
function write(value, what) {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`${what} is no JSON: ${typeof value}`);
  return text.includes("\\ud") ? text.replace(/\\(ud[89a-f]..|.)/g, (all, escape) => (escape.length > 1 ? "\\ufffd" : all)) : text;
}

/** @param {{ code: string, message: string, details: string }} error @returns {ErrorData} */
const readError = ({ code, message, details }) => ({ code, message, details: JSON.parse(details) });

/** @param {Request[]} requests @param {Json} options @returns {Outcome[]} */
function spawn(requests, options) {
  const asked = requests.map(({ agent, goal, context = {}, ...rest }) => ({
    agent: plain(agent),
    goal: plain(goal),
    context: write(context, "context"),
    options: write(rest, "options"),
  }));
  return orchestrator.spawn(asked, write(options, "options")).map((outcome) => ({
    task_id: outcome.taskId,
    agent: outcome.agent,
    status: outcome.status,
    ok: outcome.status === "ok",
    output: outcome.output == null ? null : JSON.parse(outcome.output),
    error: outcome.error == null ? null : readError(outcome.error),
    info: JSON.parse(outcome.info),
  }));
}

/** Everything an agent can reach. Each call is answered by the orchestrator before it returns. */
export const host = {
  /**
   * Writes a line into this fork's private notebook.
   * @param {string} text
   * @returns {void}
   */
  note(text) {
    orchestrator.note(plain(text));
  },

  /**
   * Calls a tool and returns its result; throws a `ToolError` if it answers with an error.
   * @template [T=any]
   * @param {string} name
   * @param {{ [key: string]: Json | undefined }} [args]
   * @returns {T}
   */
  tool(name, args = {}) {
    const text = write(args, "arguments");
    let answer;
    try {
      answer = orchestrator.tool(plain(name), text);
    } catch (thrown) {
      const error = readError(/** @type {any} */ (thrown).payload ?? thrown);
      throw new ToolError(error.code, error.message, error.details);
    }
    return JSON.parse(answer);
  },

  /** One fork; returns when it has ended. @param {Request} request @returns {Outcome} */
  spawn: (request) => /** @type {Outcome} */ (spawn([request], {})[0]),

  /** All at once; returns when all have ended, in the order asked for. @param {Request[]} requests @returns {Outcome[]} */
  spawnAll: (requests) => spawn(requests, {}),

  /** All at once; the first that is ok ends the wait, the rest are cancelled. @param {Request[]} requests @returns {Outcome[]} */
  firstOk: (requests) => spawn(requests, { return: "first_ok" }),

  /** All at once; the first `n` that are ok end the wait. @param {number} n @param {Request[]} requests @returns {Outcome[]} */
  quorum: (n, requests) => spawn(requests, { return: { quorum: n } }),

  /** One model call, which is one turn. @param {{ [key: string]: Json | undefined }} args @returns {any} */
  model: (args) => host.tool("model", args),

  /** Lets time pass on this fork's own clock. @param {number} ms @returns {void} */
  sleep: (ms) => void host.tool("sleep", { ms }),

  /** What is left: `{left: {fuel, turns, time_ms, …}, run: {…}}`. @returns {any} */
  budget: () => host.tool("budget"),
};

/** @typedef {typeof host} Host */

/**
 * Makes the export `run` of a function that takes the task and the host and returns the output. It is an ordinary
 * function, not an async one: calls of the host return when they are answered.
 * @param {(task: Task, host: Host) => unknown} body
 * @returns {(task: string) => string}
 */
export function agent(body) {
  return function run(text) {
    try {
      const output = body(JSON.parse(text), host) ?? null;
      if (typeof (/** @type {any} */ (output)?.then) === "function") {
        throw new TypeError("the agent returned a promise; agents are ordinary functions, not async ones");
      }
      return write(output, "output");
    } catch (thrown) {
      // A plain object is the error of both engines; an instance of Error would be a trap.
      throw toError(thrown);
    }
  };
}

/** @param {any} thrown @returns {{ code: string, message: string, details: string }} */
function toError(thrown) {
  try {
    if (thrown instanceof Failure) {
      return { code: plain(thrown.code), message: plain(thrown.message), details: write(thrown.details ?? {}, "details") };
    }
    const isError = thrown instanceof Error;
    const place = isError ? where(String(thrown.stack)) : undefined;
    const details = { type: isError ? thrown.name : typeof thrown, ...(place && { where: place }) };
    return { code: "exception", message: plain(isError ? thrown.message : thrown), details: write(details, "details") };
  } catch (worse) {
    // Details that are no JSON, or an exception that cannot even be named.
    const details = { type: worse instanceof Error ? worse.name : typeof worse };
    return { code: "exception", message: "the agent's error cannot be told", details: write(details, "details") };
  }
}

// The innermost frame outside this file. Only the file's name: where it was built is nobody's business.
/** @param {string} stack @returns {string | undefined} */
function where(stack) {
  for (const [, file, line] of stack.matchAll(/([^/\\\s(@]+\.[jt]s):(\d+)/g)) {
    if (file !== "sandfork.js") return `${file}:${line}`;
  }
  return undefined;
}

// A sandbox has no clock and no chance. What the engines offer instead was baked in at build time, or traps.
/** @param {string} what @returns {() => never} */
const absent = (what) => () => {
  throw new Error(`a sandbox has no ${what}; take it from the task, or from a tool's answer`);
};
Math.random = absent("randomness");
globalThis.Date = new Proxy(Date, {
  apply: absent("clock"),
  construct: (date, args, made) => (args.length === 0 ? absent("clock")() : Reflect.construct(date, args, made)),
});
Date.now = absent("clock");
Date.prototype.constructor = Date;
/** @type {any} */ (globalThis).performance = { now: absent("clock") };

// Where other hosts have a console, this one has the notebook.
/** @param {unknown[]} values */
const log = (...values) => host.note(values.map((value) => (typeof value === "string" ? value : (JSON.stringify(value) ?? String(value)))).join(" "));
/** @type {any} */ (globalThis).console = { debug: log, info: log, log, warn: log, error: log };
