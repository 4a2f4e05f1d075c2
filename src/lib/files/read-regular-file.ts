import { closeSync, constants, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { INSIDE_ONE_FILE } from "./one-file.ts";

/** The content of a regular file of at most `maxBytes`. Throws for a folder, device or pipe. */
export function readRegularFile(path: string, maxBytes: number): Buffer {
  // The runtime opens no descriptor for a file inside the program.
  if (path.startsWith(INSIDE_ONE_FILE)) return readFileSync(path);
  // Without O_NONBLOCK, opening a pipe without a writer would wait.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (stats.isDirectory()) throw new Error("it is a folder");
    if (!stats.isFile()) throw new Error("it is not a regular file");
    if (stats.size > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
    const bytes = Buffer.alloc(stats.size);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(file, bytes, length, bytes.length - length, length);
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(file);
  }
}
