import { FrameCursor } from "../http/websocket-frames.ts";
import { UnitRuler } from "./ruler.ts";

const TEXT = 1;
const BINARY = 2;
/** The bit of the opcodes of control frames (RFC 6455 §5.2). */
const CONTROL = 8;

/** Messages of one direction of a WebSocket connection. Control frames do not count, nor does their length. */
export class MessageRuler extends UnitRuler {
  readonly #frames = new FrameCursor();
  #isControl = false;

  scan(chunk: Uint8Array, start: number, end: number): void {
    for (let i = start; i < end; ) {
      const opcode = (chunk[i] ?? 0) & 0x0f;
      const isFirst = this.#frames.isBetweenFrames;
      if (isFirst) this.#isControl = (opcode & CONTROL) !== 0;
      if (isFirst && (opcode === TEXT || opcode === BINARY)) this.begin();
      else if (this.left === 0 && !this.#isControl) this.continue();
      const from = isFirst ? this.#frames.read(chunk, i, i + 1, false) : i;
      const limit = this.#isControl ? end : Math.max(from, Math.min(end, i + this.left));
      const next = this.#frames.read(chunk, from, limit, true);
      this.at += next - i;
      if (this.#isControl) this.skip(next - i);
      i = next;
    }
    this.decided = this.at;
  }
}
