/** The environment variable with the path of the file for the costs. */
export const COSTS_VARIABLE = "TURNPIKE_TEST_COSTS";
/** The engine reads it once: how often code runs before its last compiler compiles it. */
export const ENGINE_VARIABLE = "BUN_JSC_thresholdForFTLOptimizeAfterWarmUp";

export interface Cost {
  readonly file: string;
  /** CPU-seconds of the test process, and of the processes that it started. */
  readonly own: number;
  readonly started: number;
}

function total({ own, started }: Cost): number {
  return own + started;
}

/** The most expensive files, and the sum of all, as lines. `text` is the content of the file with the costs. */
export function describeCosts(text: string, most = 30): string[] {
  const costs = text.split("\n").flatMap((line): Cost[] => (line === "" ? [] : [JSON.parse(line) as Cost])); // Written by test-costs-preload.ts.
  const sum = costs.reduce((all, cost) => all + total(cost), 0);
  const shown = costs.toSorted((a, b) => total(b) - total(a)).slice(0, most);
  return [
    `${sum.toFixed(0)} CPU-seconds, most of them in:`,
    ...shown.map((cost) => `${total(cost).toFixed(1).padStart(6)} (own ${cost.own.toFixed(1)}) ${cost.file}`),
  ];
}
