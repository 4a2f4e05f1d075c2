import { writeSync } from "node:fs";
import { codeOf } from "../../../lib/caught.ts";

/** The alternate screen, without a cursor and without the wrapping of long lines; and back (xterm control sequences). */
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const LEAVE = "\u001b[?7h\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const END_OF_LINE = "\u001b[K";
const END_OF_SCREEN = "\u001b[J";
/** The terminal shows all of a frame at once, where it knows how (synchronized output). */
const BEGIN = "\u001b[?2026h";
const END = "\u001b[?2026l";

const STDOUT = 1;
/** Milliseconds that a process lives on after it was told to stop for a while. */
const RESUME_MS = 50;
/** How often a terminal that takes nothing is tried, and the milliseconds in between. */
const MAX_TRIES = 50;
const TRY_MS = 2;

/** The terminal while it shows a live view. Whatever ends the process, but SIGKILL, leaves the terminal as it was. */
export class Screen {
  #isEntered = false;
  readonly #leave = (): void => this.leave();

  enter(onInput: (text: string) => void): void {
    process.on("exit", this.#leave);
    // Before the error is printed, which would be gone with the screen otherwise.
    process.on("uncaughtExceptionMonitor", this.#leave);
    process.on("unhandledRejection", (error) => {
      throw error;
    });
    this.#enter();
    process.stdin.setEncoding("utf8");
    process.stdin.on("data", (text) => onInput(String(text)));
  }

  /** Gives the terminal back; harmless where that was done. */
  leave(): void {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    process.stdin.setRawMode(false);
    process.stdin.pause();
    put(LEAVE);
  }

  /** Stops the process and those that started it, as Ctrl-Z does, and comes back when they go on. */
  suspend(): void {
    this.leave();
    process.kill(0, "SIGTSTP");
    // The signal may come a moment later; a stopped process has no timers.
    setTimeout(() => this.#enter(), RESUME_MS);
  }

  /** As it is now; a terminal that does not say is taken to be of the usual size. */
  get size(): { readonly columns: number; readonly rows: number } {
    const [columns, rows] = process.stdout.getWindowSize();
    return { columns: columns || 80, rows: rows || 24 };
  }

  /** Shows lines that fit, in the place of what is there. */
  draw(lines: readonly string[]): void {
    if (!this.#isEntered) return;
    put(`${BEGIN}${HOME}${lines.map((line) => `${line}${END_OF_LINE}`).join("\r\n")}${END_OF_SCREEN}${END}`);
  }

  #enter(): void {
    if (this.#isEntered) return;
    this.#isEntered = true;
    process.stdin.setRawMode(true);
    process.stdin.resume();
    put(ENTER);
  }
}

/** At once: a process that ends writes nothing later. */
function put(text: string): void {
  const bytes = Buffer.from(text);
  let tries = 0;
  for (let from = 0; from < bytes.length; ) {
    try {
      from += writeSync(STDOUT, bytes, from);
    } catch (error) {
      tries += 1;
      // A terminal that takes nothing for so long, or is gone, is left alone; the next frame comes in a second.
      if (codeOf(error) !== "EAGAIN" || tries > MAX_TRIES) return;
      Bun.sleepSync(TRY_MS);
    }
  }
}
