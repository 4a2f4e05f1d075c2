/** `npm run fuzz -- [--minutes N] [--target NAME] [--seed S]`: fuzzes one target, or all of them in turns. */
import { parseArgs } from "node:util";
import { FuzzFailure, fuzz } from "./run.ts";
import { closeOracle } from "./targets/http1.ts";
import { TARGETS } from "./targets/targets.ts";

/**
 * Milliseconds of a turn. Each turn of a target has its own seed, so that a failure can be found again within this
 * time.
 */
const TURN_MS = 20_000;

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "1" }, target: { type: "string" }, seed: { type: "string" } },
});
const targets = TARGETS.filter(({ name }) => values.target === undefined || name === values.target);
const minutes = Number(values.minutes);
if (targets.length === 0 || !(minutes > 0)) {
  console.error(
    `usage: npm run fuzz -- [--minutes N] [--target ${TARGETS.map(({ name }) => name).join("|")}] [--seed S]`,
  );
  process.exit(2);
}

const ends = performance.now() + minutes * 60_000;
const totals = new Map<string, number>();
let seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
try {
  for (let turn = 0; performance.now() < ends; turn++, seed++) {
    const target = targets[turn % targets.length] ?? TARGETS[0];
    if (target === undefined) break;
    const { inputs, confirmed } = await fuzz(target, seed, Math.min(TURN_MS, ends - performance.now()));
    totals.set(target.name, (totals.get(target.name) ?? 0) + inputs);
    console.log(`${target.name}: seed ${seed}, ${inputs} inputs, ${confirmed} of them compared, nothing found`);
  }
  for (const [name, inputs] of totals) console.log(`${name}: ${inputs} inputs in all`);
} catch (error) {
  if (!(error instanceof FuzzFailure)) throw error;
  console.error(error.message);
  process.exitCode = 1;
} finally {
  closeOracle();
}
