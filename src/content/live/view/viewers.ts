import { type Input } from "./input.ts";
import { type Calls, FRAME_MS, Screencast, type Picture, type Shown } from "./screencast.ts";

/** Viewers of one browser at one time. Further ones are disconnected with a reason. */
const MAX_VIEWERS = 4;

/** Inputs of the viewers of a browser in a second. Further ones are dropped. */
const MAX_INPUTS = 100;
const INPUTS_MS = 1_000;

/** A person who watches a browser. */
export interface Viewer {
  /** Whether it can send the next picture. */
  readonly isReady: boolean;
  /** Takes the newest picture and text. Drops what it cannot send now. */
  show(shown: Shown, picture: Picture | undefined): void;
  ended(): void;
}

/** The viewers of one browser. The browser takes pictures only while it has a viewer. Decision 0925. */
export class Viewers {
  readonly #cdp: Calls;
  readonly #viewers = new Set<Viewer>();
  #screencast: Screencast | undefined;
  #tick: ReturnType<typeof setTimeout> | undefined;
  /** The target that the client used last. */
  #target = "";
  #isOver = false;
  /** Inputs since the first one of this second. */
  #inputs = 0;

  constructor(cdp: Calls) {
    this.#cdp = cdp;
  }

  /** False if too many watch already. */
  enter(viewer: Viewer): boolean {
    if (this.#viewers.size >= MAX_VIEWERS) return false;
    this.#viewers.add(viewer);
    if (this.#isOver) viewer.ended();
    else this.#begin();
    return true;
  }

  #begin(): void {
    this.ask();
    if (this.#screencast !== undefined) return;
    this.#screencast = new Screencast(this.#cdp, () => this.ask());
    // Fails if the browser ends, of which viewers hear.
    this.#screencast.start(this.#target).catch(() => undefined);
  }

  leave(viewer: Viewer): void {
    this.#viewers.delete(viewer);
    if (this.#viewers.size > 0) return;
    this.#screencast?.close();
    this.#screencast = undefined;
    clearTimeout(this.#tick);
    this.#tick = undefined;
  }

  /** The client has used a page. */
  use(target: string): void {
    this.#target = target;
    this.#screencast?.use(target);
  }

  /** Passes an input of a person on to the page that is shown. */
  act(input: Input): void {
    if (this.#inputs >= MAX_INPUTS) return;
    if (this.#inputs === 0) setTimeout(() => void (this.#inputs = 0), INPUTS_MS);
    this.#inputs += 1;
    this.#screencast?.act(input);
  }

  /** Shows the newest picture and text soon. Many calls have the effect of one. */
  ask(): void {
    this.#tick ??= setTimeout(() => {
      this.#tick = undefined;
      const cast = this.#screencast;
      if (cast === undefined) return;
      // While all viewers are slow or hidden, the browser takes no pictures.
      const isWanted = [...this.#viewers].some(({ isReady }) => isReady);
      for (const viewer of this.#viewers) viewer.show(cast.shown, cast.picture);
      if (isWanted && cast.next()) this.ask();
    }, FRAME_MS);
  }

  end(): void {
    this.#isOver = true;
    for (const viewer of this.#viewers) viewer.ended();
  }
}
