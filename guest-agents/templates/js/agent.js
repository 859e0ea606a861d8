// The agent {{name}}: reads one file and says how large it is.

import { agent } from "./sandfork.js";

export const run = agent((task, host) => {
  const path = task.context.path ?? "todo.txt";
  host.note(`reading ${path}`);
  const file = host.tool("read_file", { path });
  return { bytes: file.bytes, reply: `${task.goal}: ${file.bytes} bytes` };
});
