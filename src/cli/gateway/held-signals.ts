/** Holds a signal that arrives while the process starts. Without a listener such a signal ends the process. */
class HeldSignal {
  readonly #name: NodeJS.Signals;
  /** The signal arrived before `heed` was called. */
  #owed = false;
  #listener: (() => void) | undefined;

  constructor(name: NodeJS.Signals) {
    this.#name = name;
  }

  /** Catches the signal from now on. Several signals before `heed` count as one. */
  hold(): void {
    process.on(this.#name, () => {
      if (this.#listener === undefined) this.#owed = true;
      else this.#listener();
    });
  }

  /** Calls `listen` for every signal from now on, and at once if a signal has arrived since `hold`. Call `hold` before. */
  heed(listen: () => void): void {
    this.#listener = listen;
    if (this.#owed) listen();
    this.#owed = false;
  }
}

/** SIGHUP: read the configuration again. */
export const hangup = new HeldSignal("SIGHUP");
/** SIGUSR1: reopen the logs. */
export const rotation = new HeldSignal("SIGUSR1");
/** SIGUSR2: another gateway wants to take over. */
export const takeOver = new HeldSignal("SIGUSR2");
