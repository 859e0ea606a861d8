// What an agent in JavaScript or TypeScript sees of its host: `agent` exports it, `host` is all that it can reach.
// It knows nothing of engines beyond what differs between QuickJS and StarlingMonkey, and of plans nothing at all.

import * as orchestrator from "sandfork:agent/orchestrator@0.1.0";

/** @typedef {{ readonly length: number, readonly [index: number]: Json }} JsonList Any array of JSON. */
/** @typedef {{ readonly [key: string]: Json | undefined }} JsonObject Keys that are `undefined` are left out. */
/** @typedef {null | boolean | number | string | JsonList | JsonObject} Json What crosses: JSON and nothing else. */

/**
 * @typedef {object} Request One fork to ask for. All but `agent` and `goal` may be absent.
 * @property {string} agent
 * @property {string} goal
 * @property {JsonObject} [context]
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
 * @typedef {object} Outcome How one requested fork ended: a refusal and a failure are outcomes too.
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
  /** @param {string} code @param {string} message @param {any} [details] */
  constructor(code, message, details = {}) {
    super(message);
    this.name = "Failure";
    this.code = code;
    this.details = details;
  }
}

/** A tool's error. Catch it to go on; uncaught it ends the agent with the tool's own code. */
export class ToolError extends Failure {
  /** @param {string} tool @param {ErrorData} error */
  constructor(tool, { code, message, details }) {
    super(code, message, details);
    this.name = "ToolError";
    this.tool = tool;
  }
}

/** A child that is not ok. Catch it to go on; uncaught it ends the agent with the child's own code. */
export class ChildError extends Failure {
  /** @param {Outcome} outcome */
  constructor(outcome) {
    const { code, message, details } = outcome.error ?? { code: "", message: "", details: {} };
    super(code, message, details);
    this.name = "ChildError";
    this.outcome = outcome;
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
 * Ends the agent as `blocked`: it cannot go on until it is given these fields of its context.
 * @param {string[]} missing
 * @returns {never}
 */
export function blocked(missing) {
  throw new Failure("blocked", `missing: ${missing.join(", ")}`, { missing });
}

/** What this fork was given; `sandfork schema task` has the whole shape. */
export class Task {
  /** @param {any} document */
  constructor(document) {
    /** @type {string} */ this.run_id = document.run_id;
    /** @type {string} */ this.task_id = document.task_id;
    /** @type {string | null} */ this.parent_task_id = document.parent_task_id;
    /** @type {string} */ this.agent = document.agent;
    /** @type {number} */ this.depth = document.depth;
    /** @type {string} */ this.goal = document.goal;
    /** @type {string[]} */ this.acceptance_criteria = document.acceptance_criteria;
    /** The fork's own input. @type {any} */ this.context = document.context;
    /** The run's read-only input, the same for all forks. @type {any} */ this.shared = document.shared;
    /** @type {string[]} */ this.context_refs = document.context_refs;
    /** What may be called, with schemas. @type {any[]} */ this.tools = document.tools;
    /** Whom it may fork. @type {string[]} */ this.spawn = document.spawn;
    /** @type {any} */ this.output_schema = document.output_schema;
    /** The limits as declared. @type {any} */ this.budget = document.budget;
    /** The two opening messages for a model. @type {{ role: string, content: string }[]} */ this.messages = document.messages;
  }

  /**
   * A field of the context; absent or null it ends the agent as `blocked`, naming the field.
   * @param {string} field
   * @returns {any}
   */
  need(field) {
    return this.context[field] ?? blocked([field]);
  }

  /**
   * A text field of the context; absent or no text it ends the agent as `blocked`, naming the field.
   * @param {string} field
   * @returns {string}
   */
  needText(field) {
    const value = this.need(field);
    return typeof value === "string" ? value : blocked([field]);
  }
}

// Half a surrogate pair is no UTF-8: a binding traps on it, and the host takes no JSON that escapes one.
const HALF = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
// In JSON text it stands as an escape, unless the backslash is itself escaped.
const ESCAPE = /\\(ud[89a-f]..|.)/g;

/** @param {unknown} text @returns {string} */
const plain = (text) => String(text).replace(HALF, "\uFFFD");

/** @param {unknown} value @param {string} what @returns {string} */
function write(value, what) {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`${what} is no JSON: ${typeof value}`);
  if (!text.includes("\\ud")) return text;
  return text.replace(ESCAPE, (all, escape) => (escape.length > 1 ? "\\ufffd" : all));
}

/** @param {{ code: string, message: string, details: string }} error @returns {ErrorData} */
const readError = ({ code, message, details }) => ({ code, message, details: JSON.parse(details) });

// A failure that is handed on says whose it was; details that are no object move down a level.
/** @param {any} details @param {string} key @param {Json} value @returns {Json} */
function withEntry(details, key, value) {
  const isObject = typeof details === "object" && details !== null && !Array.isArray(details);
  return { ...(isObject ? details : details == null ? {} : { details }), [key]: value };
}

/** @param {Failure} failure @returns {Json} */
function detailsOf(failure) {
  if (failure instanceof ToolError) return withEntry(failure.details, "tool", failure.tool);
  if (failure instanceof ChildError) {
    const { task_id, agent, status } = failure.outcome;
    return withEntry(failure.details, "child", { task_id, agent, status });
  }
  return failure.details ?? {};
}

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
   * @param {JsonObject} [args]
   * @returns {T}
   */
  tool(name, args = {}) {
    const text = write(args, "arguments");
    let answer;
    try {
      answer = orchestrator.tool(plain(name), text);
    } catch (thrown) {
      throw new ToolError(name, readError(/** @type {any} */ (thrown).payload ?? thrown));
    }
    return JSON.parse(answer);
  },

  /**
   * Forks one agent and waits for it; throws a `ChildError` if its outcome is not ok.
   * @param {Request} request
   * @returns {Outcome}
   */
  spawn(request) {
    const outcome = /** @type {Outcome} */ (spawn([request], {})[0]);
    if (!outcome.ok) throw new ChildError(outcome);
    return outcome;
  },

  /**
   * All at once; returns when all have ended, in the order asked for.
   * @param {Request[]} requests
   * @returns {Outcome[]}
   */
  spawnAll: (requests) => spawn(requests, { return: "all" }),

  /**
   * All at once; the first that is ok ends the wait, the rest are cancelled.
   * @param {Request[]} requests
   * @returns {Outcome[]}
   */
  firstOk: (requests) => spawn(requests, { return: "first_ok" }),

  /**
   * All at once; the first `enough` that are ok end the wait, the rest are cancelled.
   * @param {number} enough
   * @param {Request[]} requests
   * @returns {Outcome[]}
   */
  quorum: (enough, requests) => spawn(requests, { return: { quorum: enough } }),

  /** One model call, which is one turn. @param {JsonObject} args @returns {any} */
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
      const output = body(new Task(JSON.parse(text)), host) ?? null;
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
      const { code, message } = thrown;
      return { code: plain(code), message: plain(message), details: write(detailsOf(thrown), "details") };
    }
    const isError = thrown instanceof Error;
    const place = isError ? where(String(thrown.stack)) : undefined;
    const details = { type: isError ? thrown.name : typeof thrown, ...(place && { where: place }) };
    const message = plain(isError ? thrown.message : thrown);
    return { code: "exception", message, details: write(details, "details") };
  } catch (worse) {
    // Details that are no JSON, or an exception that cannot even be named.
    const details = { type: worse instanceof Error ? worse.name : typeof worse };
    return { code: "exception", message: "the agent's error cannot be told", details: write(details, "details") };
  }
}

// The innermost frame outside this file and StarlingMonkey's own. Only the file's name: where it was built is nobody's
// business.
/** @param {string} stack @returns {string | undefined} */
function where(stack) {
  for (const [, file, line] of stack.matchAll(/([^/\\\s(@]+\.[jt]s):(\d+)/g)) {
    if (file !== "sandfork.js" && file !== "initializer.js") return `${file}:${line}`;
  }
  return undefined;
}

// A sandbox has no clock and no chance. What the engines offer instead was baked in at build time, or traps.
/** @param {string} what @returns {() => never} */
const absent = (what) => () => {
  throw new Error(`a sandbox has no ${what}; take it from the task, or from a tool's answer`);
};
Math.random = absent("randomness");
/** @type {any} */ (globalThis).Date = new Proxy(Date, {
  apply: absent("clock"),
  construct: (date, args, made) => (args.length === 0 ? absent("clock")() : Reflect.construct(date, args, made)),
});
Date.now = absent("clock");
Date.prototype.constructor = Date;
/** @type {any} */ (globalThis).performance = { now: absent("clock") };

// Where other hosts have a console, this one has the notebook.
/** @param {unknown[]} values */
const log = (...values) => host.note(values.map((value) => (typeof value === "string" ? value : shown(value))).join(" "));
/** @param {unknown} value */
const shown = (value) => JSON.stringify(value) ?? String(value);
/** @type {any} */ (globalThis).console = { debug: log, info: log, log, warn: log, error: log };
