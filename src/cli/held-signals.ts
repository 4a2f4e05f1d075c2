/** A signal that is meant for a process that serves: by default it ends the process, one that still starts too. */
class HeldSignal {
  readonly #name: NodeJS.Signals;
  /** It came before anybody could do as it says. */
  #owed = false;
  #listener: (() => void) | undefined;

  constructor(name: NodeJS.Signals) {
    this.#name = name;
  }

  /** Has the signal wait until `heed` says what to do; several are one. */
  hold(): void {
    process.on(this.#name, () => {
      if (this.#listener === undefined) this.#owed = true;
      else this.#listener();
    });
  }

  /** Has `listen` told of every signal from now on, and at once where one waits. Call `hold` before. */
  heed(listen: () => void): void {
    this.#listener = listen;
    if (this.#owed) listen();
    this.#owed = false;
  }
}

/** SIGHUP: the configuration is to be read again. */
export const hangup = new HeldSignal("SIGHUP");
/** SIGUSR1: the logs are to be opened again. */
export const rotation = new HeldSignal("SIGUSR1");
