/** Maximum number of streams that are remembered. */
const MAX_RECENT_RESETS = 128;

/**
 * The streams that this side has reset recently: frames that are still on their way for them are ignored (RFC 9113
 * §5.1). Closed streams that are older than the remembered ones count as reset, because they may have been.
 */
export class RecentResets {
  readonly #recent = new Set<number>();
  /** The highest stream number that was reset and is no longer remembered. */
  #forgotten = 0;

  add(streamId: number): void {
    this.#recent.add(streamId);
    for (const oldest of this.#recent) {
      if (this.#recent.size <= MAX_RECENT_RESETS) break;
      this.#recent.delete(oldest);
      this.#forgotten = Math.max(this.#forgotten, oldest);
    }
  }

  /** The peer has reset the stream as well: no frames can be on their way any more. */
  delete(streamId: number): void {
    this.#recent.delete(streamId);
  }

  /** True if this side has reset the stream, or may have. */
  has(streamId: number): boolean {
    return this.#recent.has(streamId) || streamId <= this.#forgotten;
  }
}
