import { type Readable, type Writable } from "node:stream";
import { type CdpReader, type CdpWire, MessageParts } from "./program/cdp-wire.ts";

/** The pipe of `--remote-debugging-pipe`: messages that end in a NUL byte. */
export class PipeWire implements CdpWire {
  readonly #input: Writable;
  readonly #output: Readable;

  constructor(input: Writable, output: Readable) {
    this.#input = input;
    this.#output = output;
  }

  read(reader: CdpReader): void {
    const parts = new MessageParts(reader);
    this.#output.on("data", (chunk: Buffer) => split(chunk, parts));
    this.#output.on("close", () => reader.closed());
    this.#output.on("error", () => reader.closed());
    this.#input.on("error", () => reader.closed());
  }

  write(text: string): void {
    this.#input.write(`${text}\0`);
  }

  /** Reads no further messages until `resume`. */
  pause(): void {
    this.#output.pause();
  }

  resume(): void {
    this.#output.resume();
  }

  destroy(): void {
    this.#input.destroy();
  }
}

function split(chunk: Buffer, parts: MessageParts): void {
  let start = 0;
  for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
    parts.keep(chunk.subarray(start, end));
    parts.finish();
    start = end + 1;
  }
  if (start < chunk.length) parts.keep(chunk.subarray(start));
}
