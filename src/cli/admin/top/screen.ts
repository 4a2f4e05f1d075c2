import { writeSync } from "node:fs";
import { codeOf } from "../../../lib/caught.ts";

/** Enters and leaves the alternate screen, without a cursor and without wrapping of long lines (xterm control sequences). */
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const LEAVE = "\u001b[?7h\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const END_OF_LINE = "\u001b[K";
const END_OF_SCREEN = "\u001b[J";
/** Synchronized output: a terminal that supports it shows a whole frame at once. */
const BEGIN = "\u001b[?2026h";
const END = "\u001b[?2026l";

const STDOUT = 1;
/** Milliseconds that a process may still run after it has sent itself SIGTSTP. */
const RESUME_MS = 50;
/** Attempts to write to a blocked terminal, and the milliseconds between them. After the last one the frame is dropped. */
const MAX_TRIES = 50;
const TRY_MS = 2;

/** The terminal during a live view. It is restored however the process ends, except for SIGKILL. */
export class Screen {
  #isEntered = false;
  readonly #leave = (): void => this.leave();

  enter(onInput: (text: string) => void): void {
    process.on("exit", this.#leave);
    // Runs before the error is printed. Otherwise the error would disappear with the alternate screen.
    process.on("uncaughtExceptionMonitor", this.#leave);
    process.on("unhandledRejection", (error) => {
      throw error;
    });
    this.#enter();
    process.stdin.setEncoding("utf8");
    process.stdin.on("data", (text) => onInput(String(text)));
  }

  /** Restores the terminal. Does nothing the second time. */
  leave(): void {
    if (!this.#isEntered) return;
    this.#isEntered = false;
    process.stdin.setRawMode(false);
    process.stdin.pause();
    put(LEAVE);
  }

  /** Stops the process group, as Ctrl-Z does, and shows the view again when it continues. */
  suspend(): void {
    this.leave();
    process.kill(0, "SIGTSTP");
    // The signal may arrive a moment later. Timers do not run while the process is stopped.
    setTimeout(() => this.#enter(), RESUME_MS);
  }

  /** The current size; the default size if the terminal does not report one. */
  get size(): { readonly columns: number; readonly rows: number } {
    const [columns, rows] = process.stdout.getWindowSize();
    return { columns: columns || 80, rows: rows || 24 };
  }

  /** Replaces the shown lines. The new lines must fit the terminal. */
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

/** Writes synchronously: a process that ends does not complete asynchronous writes. */
function put(text: string): void {
  const bytes = Buffer.from(text);
  let tries = 0;
  for (let from = 0; from < bytes.length; ) {
    try {
      from += writeSync(STDOUT, bytes, from);
    } catch (error) {
      tries += 1;
      // The terminal is blocked or closed. The next frame follows in a second.
      if (codeOf(error) !== "EAGAIN" || tries > MAX_TRIES) return;
      Bun.sleepSync(TRY_MS);
    }
  }
}
