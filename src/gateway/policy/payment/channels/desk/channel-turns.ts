import { within } from "../../../../../lib/time/within.ts";

/** Requests that wait for one channel, and for all channels together; a further one does not wait. @bound */
const MAX_WAITING = 64;
const MAX_ALL_WAITING = 4096;
/** Channels in use. While there are more, no turn is kept for a corrected client. @bound */
const MAX_KEPT = 4096;
/** Milliseconds for which the turn of a corrected client is kept. @bound */
const CORRECTED_MS = 2000;

interface Line {
  /** The nonce of the payment whose request has the turn. */
  current: string;
  readonly waiting: PromiseWithResolvers<void>[];
  /** Set while a corrected client is expected to send the payment `current`. */
  timer?: NodeJS.Timeout | undefined;
}

/**
 * The requests of one process for the same channel, in order. The database has the last word on who has a channel; this
 * saves it the questions of those who wait. Clients that send requests at once use one voucher for all: all but the first
 * are corrected one after the other, each with time to send its next voucher, or all would be corrected alike.
 */
export class ChannelTurns {
  readonly #lines = new Map<string, Line>();
  #waiting = 0;

  /** Resolves when the requests before have ended, or after `ms`. False: too many wait. After true, `leave` must be called. */
  async enter(id: string, nonce: string, ms: number): Promise<boolean> {
    const line = this.#lines.get(id);
    if (line === undefined) {
      this.#lines.set(id, { current: nonce, waiting: [] });
      return true;
    }
    if (line.timer !== undefined && line.current === nonce) {
      clearTimeout(line.timer);
      line.timer = undefined;
      return true;
    }
    if (line.waiting.length >= MAX_WAITING || this.#waiting >= MAX_ALL_WAITING) return false;
    const turn = Promise.withResolvers<void>();
    line.waiting.push(turn);
    this.#waiting += 1;
    await within(ms, turn.promise);
    this.#waiting -= 1;
    const index = line.waiting.indexOf(turn);
    if (index >= 0) line.waiting.splice(index, 1);
    line.current = nonce;
    this.#lines.set(id, line);
    return true;
  }

  /** The client with the turn can now send the payment `next`. Its turn is kept for a short time, because others may come. */
  expect(id: string, nonce: string, next: string): void {
    const line = this.#lines.get(id);
    if (line === undefined || line.current !== nonce || this.#lines.size > MAX_KEPT) {
      this.leave(id, nonce);
      return;
    }
    line.current = next;
    line.timer = setTimeout(() => this.leave(id, next), CORRECTED_MS);
  }

  /** The request of this payment does not need the channel any more. Does nothing if it has no turn. */
  leave(id: string, nonce: string): void {
    const line = this.#lines.get(id);
    if (line === undefined || line.current !== nonce) return;
    clearTimeout(line.timer);
    line.timer = undefined;
    line.current = "";
    const next = line.waiting.shift();
    if (next === undefined) this.#lines.delete(id);
    else next.resolve();
  }
}
