import { closeSync, openSync, writeSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { codeOf } from "../lib/caught.ts";
import { withoutControls } from "./terminal.ts";
import { writeStandard } from "./standard-output.ts";

/** What a result is written to. */
export interface Output {
  readonly out: string | undefined;
  readonly isTerminal: boolean;
  /** Says on standard error what was done. */
  readonly say: (line: string) => void;
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/webp": "webp",
  "application/pdf": "pdf",
};

/** How many names are tried before a folder is taken to be full of them. */
const MAX_NAMES = 1000;

/** Writes a binary result: to the file asked for, to a pipe, or, for a terminal, to a file with a name of its own. */
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

/** Writes a text result, a line end after it. */
export async function writeText(text: string, output: Output): Promise<void> {
  const line = text.endsWith("\n") ? text : `${text}\n`;
  if (output.out !== undefined) {
    await writeFile(output.out, line);
    output.say(`wrote ${output.out}`);
  } else {
    await print(output.isTerminal ? withoutControls(line) : line);
  }
}

/** Writes to `name.ext`, or `name-2.ext` and so on: never over what is there. Returns the file's name. */
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
    // Who reads the pipe has had enough, as `head` does.
    if (codeOf(error) !== "EPIPE") throw error;
  }
}
