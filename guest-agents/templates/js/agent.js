// {{name}}: reads the file that its task names and says how large it is.

import { agent } from "./sandfork.js";

export const run = agent((task, host) => {
  // Absent from the context? The fork ends `blocked` and names the field.
  const path = task.needText("path");
  host.note(`reading ${path}`);
  // A tool's error ends this fork with the tool's code; catch the `ToolError` to go on without the file.
  const file = host.tool("read_file", { path });
  return { reply: `${path} has ${file.bytes} bytes`, bytes: file.bytes };
});
