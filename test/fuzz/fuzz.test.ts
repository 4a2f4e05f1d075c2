/** About a second of every fuzz target, longer on a busy machine; `npm run fuzz` runs for any time. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { closeOracle } from "./targets/http1.ts";
import { fuzz } from "./run.ts";
import { TARGETS } from "./targets/targets.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

const MILLISECONDS = 1_200;
const LEAST_INPUTS = 500;
const SEED = Math.floor(Math.random() * 2 ** 31);

afterAll(closeOracle);

test.each(TARGETS.map((target) => [target.name, target] as const))(
  "%s keeps its invariants for any input",
  async (_, target) => {
    const report = await fuzz(target, SEED, MILLISECONDS, LEAST_INPUTS);
    expect(report.inputs).toBeGreaterThanOrEqual(LEAST_INPUTS);
    if (target.confirm !== undefined) expect(report.confirmed).toBeGreaterThan(10);
  },
);
