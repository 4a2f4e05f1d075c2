/** The objects that a feature makes of a configuration, such as connections, files and timers. */
export interface Provided {
  /** Called when the configuration is in use. */
  use?(): void;
  /** Closes everything except what `next`, the feature's objects of the next configuration, takes over. */
  close?(next: never): void;
}

/**
 * Makes a feature's objects from its part of a configuration. It can take over objects of `previous`, which it has made
 * of the configuration in use; undefined at the start.
 */
export type Provide<Parts, Made extends Provided> = (parts: Parts, previous: never) => Made | Promise<Made>;

/** Everything that the features of one configuration have made. */
export class Holdings {
  readonly #made = new Map<unknown, unknown>();

  /** The objects of the feature, which are made the first time. `before`: those of the configuration in use. */
  async add<Parts, Made extends Provided>(
    provide: Provide<Parts, Made>,
    parts: Parts,
    before: Holdings | undefined,
  ): Promise<Made> {
    // Only this function makes the objects that are kept under it.
    const made = this.#made.get(provide) ?? (await provide(parts, before?.of(provide) as never));
    this.#made.set(provide, made);
    return made as Made;
  }

  /** The objects that the function has made. */
  of(provide: unknown): unknown {
    return this.#made.get(provide);
  }

  use(): void {
    // As above.
    for (const one of this.#made.values()) (one as Provided).use?.();
  }

  /** Closes everything once, what was made last first, except what `next` takes over. */
  close(next?: Holdings): void {
    const made = [...this.#made].toReversed();
    this.#made.clear();
    // As above.
    for (const [provide, one] of made) (one as Provided).close?.(next?.of(provide) as never);
  }
}
