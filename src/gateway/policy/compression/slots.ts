/** Responses that a worker compresses at a time. Beyond it, responses are sent uncompressed. @internal */
export const MAX_COMPRESSORS = 256;

/** Counts the responses that are being compressed. */
export class Slots {
  readonly #most: number;
  #taken = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Takes a slot, which must be given back once. Returns false if no slot is free. */
  take(): boolean {
    if (this.#taken >= this.#most) return false;
    this.#taken++;
    return true;
  }

  giveBack(): void {
    this.#taken--;
  }
}

export const WORKER_SLOTS = new Slots(MAX_COMPRESSORS);
