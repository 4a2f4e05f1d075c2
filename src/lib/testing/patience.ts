import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

/** The environment variable that says by how much waits are stretched; processes of one run hand it on. */
export const PATIENCE_VARIABLE = "TURNPIKE_TEST_PATIENCE";
const MAX_FACTOR = 10;

/** How much longer than on a quiet machine tests wait before they give up: 1 to 10, by the load when the run began. */
export const PATIENCE_FACTOR = readFactor();

/** Milliseconds that a test waits for what is sure to come. A wait ends when it has come; only a failing test waits this long. */
export function patient(ms: number): number {
  return ms * PATIENCE_FACTOR;
}

/** `text` is that of the variable; without a number of at least 1 in it, the load of the machine decides. */
export function factorOf(text: string | undefined, load: string, cpus: number): number {
  const given = Number(text);
  if (given >= 1) return given;
  // The mean over a minute is late; what runs now is the first number of `running/all`.
  const [mean = "0", , , running = "0"] = load.split(" ");
  const busy = Math.max(Number(mean), Number.parseInt(running, 10)) / cpus;
  return Math.min(Math.max(Math.ceil(busy), 1), MAX_FACTOR) || 1;
}

function readFactor(): number {
  const factor = factorOf(process.env[PATIENCE_VARIABLE], readLoad(), availableParallelism());
  process.env[PATIENCE_VARIABLE] = String(factor);
  return factor;
}

/** As proc(5) says; empty on other systems. */
function readLoad(): string {
  try {
    return readFileSync("/proc/loadavg", "latin1");
  } catch {
    return "";
  }
}
