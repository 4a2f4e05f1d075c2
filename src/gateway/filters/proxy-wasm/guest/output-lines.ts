import { MAX_PARTIAL_LINE_BYTES } from "../../module/proxy-wasm-bounds.ts";

/** Splits the output of a filter on its standard streams into lines. */
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

  /** Called when a callback has ended. The rest, without an end of line, becomes a line. */
  flush(level: number): void {
    if (this.#partial === "") return;
    const line = this.#partial;
    this.#partial = "";
    this.#log(level, line);
  }
}
