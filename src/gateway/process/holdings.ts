/**
 * What a configuration has opened, such as connections, files and timers. All of it is let go of when another configuration takes
 * its place, and when it cannot be served after all.
 */
export class Holdings<Other> {
  readonly #closers: ((other: Other | undefined) => void)[] = [];

  /** Takes what was opened. `close` lets go of it, except for what `other` goes on with. */
  add<T>(held: T, close: (held: T, other: Other | undefined) => void): T {
    this.#closers.push((other) => close(held, other));
    return held;
  }

  /** Lets go of everything, what was opened last first. */
  close(other: Other | undefined): void {
    for (const close of this.#closers.splice(0).toReversed()) close(other);
  }
}
