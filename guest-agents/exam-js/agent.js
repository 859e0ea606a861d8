// Does what an agent should not do, to show that nothing comes of it. The twin of ../exam.

import { agent, fail } from "./sandfork.js";

const MIB = 1 << 20;

/** How often this was run, in the memory of a sandbox. */
let count = 0;
/** What was kept, in the memory of a sandbox. */
const kept = [];

const deeds = {
  count: () => {
    kept.push("once");
    return { count: ++count, kept: kept.length };
  },
  keep: (task) => {
    const text = task.needText("text");
    kept.push(text.repeat(MIB / text.length));
    globalThis.left = text;
    Array.prototype.left = text;
    return { kept: true };
  },
  // The text comes backwards: what it looks for must not stand in its own task.
  seek: (task) => {
    const wanted = [...task.needText("text")].reverse().join("");
    const names = Object.getOwnPropertyNames(globalThis);
    const texts = [...kept, String([].left), ...names.map((name) => String(globalThis[name]))];
    return { found: texts.some((text) => text.includes(wanted)) || new Uint8Array(MIB / 16).some((byte) => byte !== 0) };
  },
  grow: () => {
    for (;;) kept.push(new Uint8Array(MIB).fill(7));
  },
  spin: () => {
    for (;;) count += 1;
  },
  wait: (task, host) => {
    host.sleep(task.need("ms"));
    return { waited: task.need("ms") };
  },
  recurse: () => ({ depth: recurse(0) }),
  fail: () => fail("asked_to_fail", "as it was told", { asked: true }),
  throw: () => undefined.told,
};

function recurse(depth) {
  return recurse(depth + 1) + 1;
}

export const run = agent((task, host) => deeds[task.needText("do")](task, host));
