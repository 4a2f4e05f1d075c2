import { appendFileSync, closeSync, fstatSync, ftruncateSync, openSync, readSync } from "node:fs";
import { codeOf, messageOf } from "../../../lib/caught.ts";
import { cannotWrite } from "../../common/output-file.ts";
import { isObject } from "../../../lib/is-object.ts";
import { parsedJson } from "../../../lib/parsed-json.ts";

/** Bytes that are read at a time to find the last line. */
const BLOCK_BYTES = 64 * 1024;
const LINE_END = 10;

/** A file with a line of JSON for each result. Each line has the number of its result. */
export class ResultLines {
  readonly #path: string;
  readonly #file: number;
  /** The number of the last result in the file; 0 if there is no result. */
  readonly last: number;

  /**
   * Opens a new file; with `goesOn`, the one with the earlier results of the job, if it exists. A line that was cut off is
   * removed from it. Throws an error that names the file.
   */
  constructor(path: string, goesOn: boolean) {
    this.#path = path;
    try {
      this.#file = openSync(path, goesOn ? "a+" : "ax+");
      this.last = lastNumber(this.#file);
    } catch (error) {
      const why = codeOf(error) === "EEXIST" ? "it exists; name another one with --out" : messageOf(error);
      throw new Error(`Cannot write to "${path}": ${why}`, { cause: error });
    }
  }

  append(line: string): void {
    try {
      appendFileSync(this.#file, `${line}\n`);
    } catch (error) {
      throw cannotWrite(`"${this.#path}"`, error);
    }
  }

  close(): void {
    closeSync(this.#file);
  }
}

function lastNumber(file: number): number {
  const end = lineEndBefore(file, fstatSync(file).size) + 1;
  ftruncateSync(file, end);
  if (end === 0) return 0;
  const start = lineEndBefore(file, end - 1) + 1;
  const line = Buffer.alloc(end - start);
  readSync(file, line, { position: start });
  const value = parsedJson(line.toString());
  const number = isObject(value) ? value["number"] : undefined;
  if (typeof number === "number" && Number.isSafeInteger(number)) return number;
  throw new Error("its last line is not a result of a job");
}

/** The place of the last line end before `end`; -1 if there is no line end. */
function lineEndBefore(file: number, end: number): number {
  const block = Buffer.alloc(BLOCK_BYTES);
  for (let to = end; to > 0; ) {
    const from = Math.max(0, to - BLOCK_BYTES);
    const bytes = readSync(file, block, { position: from, length: to - from });
    const at = block.subarray(0, bytes).lastIndexOf(LINE_END);
    if (at >= 0) return from + at;
    to = from;
  }
  return -1;
}
