import { cFunctions } from "../../lib/process/c-library.ts";
import { stamped } from "../../lib/text/stamped.ts";
import { visibleLines } from "../../lib/text/visible-text.ts";

const libc = cFunctions({ isatty: { args: ["i32"], returns: "i32" } });

/** True if a standard stream is a terminal. `isTTY` takes 10 ms of CPU time to load the code of streams. */
function isTerminal(descriptor: 1 | 2): boolean {
  const result = libc()?.isatty(descriptor);
  return result === undefined ? (descriptor === 1 ? process.stdout : process.stderr).isTTY : result === 1;
}

/** When output is coloured: on a terminal, always, or never. */
export const COLOR_CHOICES = ["auto", "always", "never"] as const;
export type ColorChoice = (typeof COLOR_CHOICES)[number];

const RED = "\u001b[31m";
const YELLOW = "\u001b[33m";
const DIM = "\u001b[2m";
const RESET = "\u001b[0m";

let choice: ColorChoice = "auto";

/** Applies `--color` to this process. */
export function chooseColor(wanted: ColorChoice): void {
  choice = wanted;
}

/** True if text for standard output or standard error is coloured. NO_COLOR (no-color.org) turns colours off, unless `--color=always` is given. */
export function isColored(descriptor: 1 | 2 = 2): boolean {
  if (choice !== "auto") return choice === "always";
  const { NO_COLOR: noColor, TERM: term } = process.env;
  return (noColor ?? "") === "" && term !== "dumb" && isTerminal(descriptor);
}

function write(text: string, color: string): void {
  const shown = visibleLines(text);
  // Not console.error: Bun prints all of it in red on a terminal.
  console.warn(color !== "" && isColored() ? `${color}${shown}${RESET}` : shown);
}

/** Prints a line on standard error that is neither an error nor a warning. */
export function say(text: string): void {
  write(text, "");
}

/** Prints a line of a running service's log. */
export function sayLog(text: string): void {
  say(stamped(text));
}

/** Prints an error; red on a terminal. */
export function sayError(text: string): void {
  write(text, RED);
}

/** Prints a warning; yellow on a terminal. */
export function sayWarning(text: string): void {
  write(text, YELLOW);
}

/** Prints a less important line, such as a receipt; dim on a terminal. */
export function sayNote(text: string): void {
  write(text, DIM);
}

/** Removes the control characters that could steer the terminal, for example rename its window. */
export function withoutControls(text: string): string {
  // oxlint-disable-next-line eslint/no-control-regex -- control characters are what it is about
  return text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
}
