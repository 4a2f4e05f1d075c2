/** Bytes that all responses together hold until they are sent: what no longer fits is refused, so that memory has an end. */
export class ContentBudget {
  #free: number;

  constructor(total: number) {
    this.#free = total;
  }

  /** A part of the budget that one response fills, up to `most` bytes. */
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

export interface ContentShare {
  /** `full`: the response has no room for so many bytes; `busy`: all responses together have none. */
  take(bytes: number): "taken" | "full" | "busy";
  /** Gives back all that was taken; nothing can be taken afterwards. */
  release(): void;
}
