/** Responses that a worker compresses at one time; those beyond it go out as they are. @internal */
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

  /** False: there is none left. Each that is taken is to be given back once. */
  take(): boolean {
    if (this.#taken >= this.#most) return false;
    this.#taken++;
    return true;
  }

  giveBack(): void {
    this.#taken--;
  }
}

/** Those of this process. */
export const WORKER_SLOTS = new Slots(MAX_COMPRESSORS);
