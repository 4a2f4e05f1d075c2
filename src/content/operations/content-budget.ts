/**
 * Limits the bytes that all responses together hold until they are sent. Further bytes are refused, so that memory use
 * is bounded.
 */
export class ContentBudget {
  #free: number;

  constructor(total: number) {
    this.#free = total;
  }

  /** A part of the budget for one response, up to `most` bytes. */
  share(most: number): ContentShare {
    let room = most;
    let held = 0;
    let isOver = false;
    return {
      take: (bytes) => {
        if (isOver || bytes > room) return isOver ? "busy" : "full";
        if (bytes > this.#free) return "busy";
        room -= bytes;
        held += bytes;
        this.#free -= bytes;
        return "taken";
      },
      release: () => {
        isOver = true;
        this.#free += held;
        held = 0;
      },
    };
  }
}

/** The bytes that one response has taken from a `ContentBudget`. */
export interface ContentShare {
  /** `full`: the response would exceed its own limit. `busy`: all responses together would exceed the budget. */
  take(bytes: number): "taken" | "full" | "busy";
  /** Returns all bytes to the budget. Nothing can be taken afterwards. */
  release(): void;
}
