import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** The environment variable with the factor for waits. Processes of one run pass it on. */
export const PATIENCE_VARIABLE = "TURNPIKE_TEST_PATIENCE";
const MAX_FACTOR = 10;

/** Factor for the time that tests wait before they give up: 1 to 10, by the load at the start of the run. */
export const PATIENCE_FACTOR = readFactor();

/** Longest time that a test waits for an event that must come, in milliseconds. Only a failing test waits this long. */
export function patient(ms: number): number {
  return ms * PATIENCE_FACTOR;
}

/** `text` is the value of the variable. If it is not a number of at least 1, the load of the machine decides. */
export function factorOf(text: string | undefined, load: string, cpus: number): number {
  const given = Number(text);
  if (given >= 1) return given;
  // The mean over a minute lags behind. The first number of `running/all` is the current load.
  const [mean = "0", , , running = "0"] = load.split(" ");
  const busy = Math.max(Number(mean), Number.parseInt(running, 10)) / cpus;
  return Math.min(Math.max(Math.ceil(busy), 1), MAX_FACTOR) || 1;
}

function readFactor(): number {
  const factor = factorOf(process.env[PATIENCE_VARIABLE], readLoad(), availableParallelism());
  process.env[PATIENCE_VARIABLE] = String(factor);
  return factor;
}

/** The format is that of proc(5); empty on other systems. */
function readLoad(): string {
  try {
    return readFileSync("/proc/loadavg", "latin1");
  } catch {
    return "";
  }
}
