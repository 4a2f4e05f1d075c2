/**
 * The resources that a configuration has opened, such as connections, files and timers. They are closed when another
 * configuration takes its place, or when it cannot be served.
 */
export class Holdings<Other> {
  readonly #closers: ((other: Other | undefined) => void)[] = [];

  /** Keeps an opened resource. `close` closes it, except for the parts that `other` takes over. */
  add<T>(held: T, close: (held: T, other: Other | undefined) => void): T {
    this.#closers.push((other) => close(held, other));
    return held;
  }

  /** Closes all resources, the last opened first. */
  close(other: Other | undefined): void {
    for (const close of this.#closers.splice(0).toReversed()) close(other);
  }
}
