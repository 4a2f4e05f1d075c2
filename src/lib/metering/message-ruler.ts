import { FrameCursor } from "../http/websocket-frames.ts";
import { UnitRuler } from "./ruler.ts";

const TEXT = 1;
const BINARY = 2;

/** Messages of one direction of a WebSocket connection. Control frames do not count. */
export class MessageRuler extends UnitRuler {
  readonly #frames = new FrameCursor();

  scan(chunk: Uint8Array, start: number, end: number): void {
    for (let i = start; i < end; ) {
      const opcode = (chunk[i] ?? 0) & 0x0f;
      const isFirst = this.#frames.isBetweenFrames;
      if (isFirst && (opcode === TEXT || opcode === BINARY)) this.begin();
      else if (this.left === 0) this.continue();
      const from = isFirst ? this.#frames.read(chunk, i, i + 1, false) : i;
      const next = this.#frames.read(chunk, from, Math.max(from, Math.min(end, i + this.left)), true);
      this.at += next - i;
      if (this.#frames.isBetweenFrames) this.pass(this.at);
      i = next;
    }
    this.decided = this.at;
  }
}
