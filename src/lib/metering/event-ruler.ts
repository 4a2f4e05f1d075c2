import { UnitRuler } from "./ruler.ts";

const CR = 13;
const LF = 10;
const COLON = 58;
/** `data` */
const DATA = [0x64, 0x61, 0x74, 0x61];
const BOM = [0xef, 0xbb, 0xbf];

/**
 * Events of an event stream (WHATWG HTML §9.2.6): blocks of lines with at least one `data` line, which end at an empty
 * line. Comments and other blocks without data do not count. A block is decided at its first `data` line or at its end, so that
 * nothing of an event is passed on before it counts.
 */
export class EventRuler extends UnitRuler {
  /** The index at which the current block began. */
  #block = 0;
  #hasData = false;
  /** Bytes of `data` that the current line has so far; -1 if it has another name. */
  #matched = 0;
  #lineLength = 0;
  #wasCr = false;

  scan(chunk: Uint8Array, start: number, end: number): void {
    for (let i = start; i < end; ) {
      if (this.left === 0) this.#tooLong();
      const rest = this.#matched === -1 ? lineEnd(chunk, i, Math.min(end, i + this.left)) - i : 0;
      if (rest === 0) this.#see(chunk[i] ?? 0);
      const step = rest === 0 ? 1 : rest;
      this.#lineLength += rest;
      this.at += step;
      i += step;
      if (this.#hasData || this.at === this.#block) this.decided = this.at;
    }
  }

  #see(byte: number): void {
    const followsCr = this.#wasCr;
    this.#wasCr = byte === CR;
    if (byte === LF && followsCr) {
      if (!this.#hasData && this.#lineLength === 0 && this.#block === this.at) this.#block = this.at + 1;
      return;
    }
    if (byte === CR || byte === LF) {
      if (this.#lineLength === 0) this.#endBlock();
      else if (this.#matched === DATA.length) this.#beginEvent();
      this.#lineLength = 0;
      this.#matched = 0;
      return;
    }
    // The byte order mark at the beginning of a stream belongs to no line.
    if (this.at < BOM.length && this.#lineLength === 0 && byte === BOM[this.at]) return;
    if (byte === COLON && this.#matched === DATA.length) this.#beginEvent();
    this.#matched = byte === DATA[this.#matched] && this.#matched === this.#lineLength ? this.#matched + 1 : -1;
    this.#lineLength += 1;
  }

  #beginEvent(): void {
    if (this.#hasData) return;
    this.#hasData = true;
    this.begin(this.#block);
  }

  #endBlock(): void {
    this.#hasData = false;
    this.#block = this.at + 1;
    this.pass(this.#block);
  }

  /** A long block without data counts too: it would be held for ever. */
  #tooLong(): void {
    if (this.#hasData) this.continue();
    else this.#beginEvent();
  }
}

/** The index of the next byte that ends a line, or `end`. The rest of a line is skipped at once. */
function lineEnd(chunk: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && chunk[at] !== LF && chunk[at] !== CR) at += 1;
  return at;
}
