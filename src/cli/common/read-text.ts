import { whyUnreadable } from "../../lib/caught.ts";

/** Bytes of a configuration file. A larger file is refused. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** A file in messages; `-` is standard input. */
export function inputName(path: string): string {
  return path === "-" ? "standard input" : `"${path}"`;
}

/** The UTF-8 text of a file, or of standard input for `-`. Throws an error that names it. */
export async function readText(path: string): Promise<string> {
  try {
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of (path === "-" ? Bun.stdin : Bun.file(path)).stream()) {
      length += chunk.byteLength;
      if (length > MAX_FILE_BYTES) throw new Error(`it has more than ${MAX_FILE_BYTES} bytes`);
      chunks.push(chunk);
    }
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (error) {
    throw new Error(`Cannot read ${inputName(path)}: ${whyUnreadable(error)}`, { cause: error });
  }
}
