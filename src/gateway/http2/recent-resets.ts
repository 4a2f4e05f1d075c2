/** Streams that are remembered. */
const MAX_RECENT_RESETS = 128;

/**
 * The streams that this side reset: what is still on its way for them is ignored (RFC 9113 §5.1). Those that are older than
 * the ones remembered get the benefit of the doubt.
 */
export class RecentResets {
  readonly #recent = new Set<number>();
  /** The newest stream that was reset and is not remembered any more. */
  #forgotten = 0;

  add(streamId: number): void {
    this.#recent.add(streamId);
    for (const oldest of this.#recent) {
      if (this.#recent.size <= MAX_RECENT_RESETS) break;
      this.#recent.delete(oldest);
      this.#forgotten = Math.max(this.#forgotten, oldest);
    }
  }

  /** The peer has reset the stream as well: nothing can be on its way any more. */
  delete(streamId: number): void {
    this.#recent.delete(streamId);
  }

  /** This side has reset the stream, or may have. */
  has(streamId: number): boolean {
    return this.#recent.has(streamId) || streamId <= this.#forgotten;
  }
}
