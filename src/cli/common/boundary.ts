import { codeOf, messageOf } from "../../lib/caught.ts";
import { HelpAsked } from "./flags.ts";
import { printLine } from "./standard-output.ts";
import { StartError } from "./start-error.ts";
import { say, sayError } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Runs a command. Prints `usage` if the arguments ask for help, and one line with the reason if the command fails. Returns
 * the exit code: 0 done, 1 failed, 2 wrong usage.
 */
export async function atBoundary(usage: string, perform: () => Promise<number>): Promise<number> {
  try {
    return await perform();
  } catch (error) {
    if (!(error instanceof HelpAsked)) return reportFailure(commandOf(usage), error);
    await printLine(usage);
    return 0;
  }
}

/** Prints why `command` failed, with TURNPIKE_DEBUG also the stack trace, and returns its exit code. */
export function reportFailure(command: string, error: unknown): number {
  // The reader of the pipe has closed it, as `head` does: this is not a failure.
  if (codeOf(error) === "EPIPE") return 0;
  const isUsage = error instanceof UsageError;
  if (error instanceof StartError) for (const line of error.lines) sayError(line);
  const message = messageOf(error);
  const advice = `${message.endsWith("?") ? "" : "."} Run "${command} --help" for its usage.`;
  sayError(`${command}: ${message}${isUsage ? advice : ""}`);
  if ((process.env["TURNPIKE_DEBUG"] ?? "") !== "" && error instanceof Error) say(error.stack ?? "");
  return isUsage ? 2 : 1;
}

/** The command that a usage text describes: `turnpike call`. */
function commandOf(usage: string): string {
  return /^usage: (turnpike(?: [a-z]+)?)/.exec(usage)?.[1] ?? "turnpike";
}
