import { closeSync, openSync, writeSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { codeOf } from "../../lib/caught.ts";
import { withoutControls } from "./terminal.ts";
import { writeStandard } from "./standard-output.ts";

export interface Output {
  readonly out: string | undefined;
  readonly isTerminal: boolean;
  readonly say: (line: string) => void;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/webp": "webp",
  "application/pdf": "pdf",
};

/** Numbered file names that are tried for one result. If all of them exist, the command fails. */
const MAX_NAMES = 1000;

/** Writes a binary result to the requested file or to a pipe. On a terminal it writes a new file in the current folder. */
export async function writeBinary(bytes: Uint8Array, type: string, name: string, output: Output): Promise<void> {
  if (output.out !== undefined) {
    await writeFile(output.out, bytes);
    output.say(`wrote ${bytes.byteLength} bytes to ${output.out}`);
  } else if (output.isTerminal) {
    const file = writeFresh(bytes, name, EXTENSIONS[type] ?? "bin");
    output.say(`wrote ${bytes.byteLength} bytes to ${file}`);
  } else {
    await print(bytes);
  }
}

/** Writes a text result and ends it with a line break. */
export async function writeText(text: string, output: Output): Promise<void> {
  const line = text.endsWith("\n") ? text : `${text}\n`;
  if (output.out !== undefined) {
    await writeFile(output.out, line);
    output.say(`wrote ${output.out}`);
  } else {
    await print(output.isTerminal ? withoutControls(line) : line);
  }
}

/** Writes to `name.ext`, or to `name-2.ext` and so on if that file exists; never overwrites a file. Returns the file's name. */
function writeFresh(bytes: Uint8Array, name: string, extension: string): string {
  for (let count = 1; count <= MAX_NAMES; count++) {
    const file = `${name}${count === 1 ? "" : `-${count}`}.${extension}`;
    let handle: number;
    try {
      handle = openSync(file, "wx");
    } catch (error) {
      if (codeOf(error) === "EEXIST") continue;
      throw error;
    }
    try {
      for (let from = 0; from < bytes.byteLength; ) from += writeSync(handle, bytes, from);
    } finally {
      closeSync(handle);
    }
    return file;
  }
  throw new Error(`Cannot find a free name for ${name}.${extension}: name one with --out FILE`);
}

async function print(text: string | Uint8Array): Promise<void> {
  try {
    await writeStandard(text);
  } catch (error) {
    // The reader of the pipe has closed it, as `head` does.
    if (codeOf(error) !== "EPIPE") throw error;
  }
}
