import { closeSync, openSync, rmSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { codeOf } from "../../lib/caught.ts";
import { type NamedBytes, orKept } from "./output-file.ts";
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
  const extension = EXTENSIONS[type] ?? "bin";
  const result = { bytes, name: `${name}.${extension}` };
  if (output.out !== undefined) {
    await writeNamed(result, output.out);
    output.say(`wrote ${bytes.byteLength} bytes to ${output.out}`);
  } else if (output.isTerminal) {
    const file = await orKept(result, "this folder", () => writeFresh(bytes, name, extension));
    output.say(`wrote ${bytes.byteLength} bytes to ${file}`);
  } else {
    await print(result);
  }
}

/** Writes a text result and ends it with a line break. */
export async function writeText(text: string, output: Output): Promise<void> {
  const line = text.endsWith("\n") ? text : `${text}\n`;
  const result = { bytes: line, name: "result.txt" };
  if (output.out !== undefined) {
    await writeNamed(result, output.out);
    output.say(`wrote ${output.out}`);
  } else {
    await print(output.isTerminal ? { ...result, bytes: withoutControls(line) } : result);
  }
}

async function writeNamed({ bytes }: NamedBytes, out: string): Promise<void> {
  await orKept({ bytes, name: basename(out) }, `"${out}"`, () => writeFileSync(out, bytes));
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
      writeFileSync(handle, bytes);
    } catch (error) {
      rmSync(file);
      throw error;
    } finally {
      closeSync(handle);
    }
    return file;
  }
  throw new Error(`Cannot find a free name for ${name}.${extension}: name one with --out FILE`);
}

async function print(result: NamedBytes): Promise<void> {
  await orKept(result, "standard output", async () => {
    try {
      await writeStandard(result.bytes);
    } catch (error) {
      // The reader of the pipe has closed it, as `head` does.
      if (codeOf(error) !== "EPIPE") throw error;
    }
  });
}
