import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { MAX_MODULE_BYTES } from "./reading/limits.ts";
import { ModuleRefused } from "./reading/refused.ts";

/** Reads a module's file. Throws ModuleRefused if it is too large or not regular, else the system's error. */
export async function readModuleFile(path: string): Promise<Uint8Array<ArrayBuffer>> {
  // Without O_NONBLOCK, opening a pipe without a writer would wait.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new ModuleRefused("it is not a regular file");
    if (stat.size > MAX_MODULE_BYTES) {
      throw new ModuleRefused(`it has ${stat.size} bytes; at most ${MAX_MODULE_BYTES} are allowed`);
    }
    const bytes = new Uint8Array(stat.size);
    for (let read = 0; ; ) {
      const { bytesRead } = await file.read(bytes, read, bytes.length - read, read);
      if (bytesRead === 0) return bytes.subarray(0, read);
      read += bytesRead;
    }
  } finally {
    await file.close();
  }
}
