import { MAX_PARTIAL_LINE_BYTES } from "./bounds.ts";

/** Makes lines of what a filter writes to its standard streams. */
export class OutputLines {
  readonly #log: (level: number, line: string) => void;
  #partial = "";

  constructor(log: (level: number, line: string) => void) {
    this.#log = log;
  }

  write(level: number, bytes: Uint8Array): void {
    const lines = (this.#partial + new TextDecoder().decode(bytes)).split("\n");
    this.#partial = lines.pop() ?? "";
    for (const line of lines) if (line !== "") this.#log(level, line);
    if (this.#partial.length > MAX_PARTIAL_LINE_BYTES) this.flush(level);
  }

  /** A callback has ended: what has no end of line is a line of its own. */
  flush(level: number): void {
    if (this.#partial === "") return;
    const line = this.#partial;
    this.#partial = "";
    this.#log(level, line);
  }
}
