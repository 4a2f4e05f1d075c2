import { expect, test } from "bun:test";
import { MOVEMENTS } from "./rest.ts";

/** A page that a script changes in each of its first frames, on a clock that the test moves. */
class MovingPage {
  now = 1;
  /** The time of the last change. */
  changed = 0;
  readonly #waiting: { readonly at: number; readonly run: () => void }[] = [];
  readonly #frameMs: number;
  #notice = (): void => {};

  constructor(frameMs: number, frames: number) {
    this.#frameMs = frameMs;
    const move = (left: number): void => {
      if (left === 0) return;
      this.changed = this.now;
      this.#notice();
      this.#nextFrame(() => move(left - 1));
    };
    this.#nextFrame(() => move(frames));
  }

  /** Runs `endMovements` to its end. */
  async look(): Promise<unknown> {
    const watch = (notice: () => void): void => {
      this.#notice = notice;
    };
    class MutationObserver {
      constructor(notice: () => void) {
        watch(notice);
      }
      observe(): void {}
      disconnect(): void {}
    }
    const world = {
      document: { scripts: [{ type: "" }] },
      performance: { now: () => this.now },
      setTimeout: (run: () => void, ms: number) => this.#at(this.now + ms, run),
      requestAnimationFrame: (run: () => void) => this.#nextFrame(run),
      MutationObserver,
    };
    const script = `${MOVEMENTS}; return endMovements(Infinity)`;
    // oxlint-disable-next-line typescript/no-implied-eval -- the script is text, as the browser gets it
    const looking: Promise<unknown> = new Function(...Object.keys(world), script)(...Object.values(world));
    let hasEnded = false;
    const ended = looking.finally(() => (hasEnded = true));
    for (;;) {
      await new Promise(setImmediate);
      if (hasEnded) return ended;
      this.#step();
    }
  }

  #nextFrame(run: () => void): void {
    this.#at((Math.floor(this.now / this.#frameMs) + 1) * this.#frameMs, run);
  }

  #at(at: number, run: () => void): void {
    this.#waiting.push({ at, run });
  }

  #step(): void {
    this.#waiting.sort((one, other) => one.at - other.at);
    const next = this.#waiting.shift();
    if (next === undefined) throw new Error("nothing waits");
    this.now = next.at;
    next.run();
  }
}

test.each([16, 100, 200, 400])("a movement is waited for to its end in frames of %d ms", async (frameMs) => {
  const page = new MovingPage(frameMs, 4);
  expect([await page.look(), page.changed]).toEqual([true, 4 * frameMs]);
  expect(page.now).toBeGreaterThan(4 * frameMs);
});

test.each([
  { what: "that never ends is waited for up to two seconds", frameMs: 16, frames: Infinity, moved: true, most: 2_100 },
  { what: "that does not exist is waited for in two frames", frameMs: 16, frames: 0, moved: false, most: 32 },
  {
    what: "in a page that is not drawn is waited for up to a second",
    frameMs: 1e9,
    frames: 1,
    moved: false,
    most: 1_001,
  },
])("a movement $what", async ({ frameMs, frames, moved, most }) => {
  const page = new MovingPage(frameMs, frames);
  expect(await page.look()).toBe(moved);
  expect(page.now).toBeWithin(most - 100, most + 1);
});
