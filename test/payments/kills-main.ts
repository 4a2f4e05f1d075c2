/**
 * `npm run kills -- [--kills N] [--pay payment|credit] [--calls N] [--store sqlite|postgres] [--settle before|after]
 * [--seed S]`: sells through random SIGKILLs. Fails if a payment was taken and its buyer cannot get the response.
 * `npm run kills -- --crawls N [--pay channel] [--kills N] [--store sqlite|postgres] [--seed S]` crawls, N of each way of payment at a time, and compares
 * the pages with the money. As root, it also fills the disk. `npm run kills -- --channels N [--calls N] [--kills N] [--store sqlite|postgres] [--seed S]` makes `--calls`
 * payments from each of N channels, 10 if it is left out, on a chain of its own. `npm run kills -- --sessions N [--kills N] [--store sqlite|postgres]
 * [--seed S]` lets N callers use sessions of content services that are killed.
 */
import { parseArgs } from "node:util";
import { buyThroughKills } from "./channel-kills.ts";
import { crawlThroughKills } from "./job-kills.ts";
import { sellThroughKills } from "./kills.ts";
import { visitThroughKills } from "./session-kills.ts";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "500" },
    pay: { type: "string", default: "payment" },
    calls: { type: "string" },
    crawls: { type: "string" },
    channels: { type: "string" },
    sessions: { type: "string" },
    store: { type: "string", default: "sqlite" },
    settle: { type: "string", default: "before" },
    seed: { type: "string", default: String(Date.now() >>> 0) },
    help: { type: "boolean", default: false },
  },
});
const { store, settle, pay, calls } = values;
if (values.help) {
  console.log(
    "npm run kills -- [--kills N] [--pay payment|credit] [--calls N] [--store sqlite|postgres] [--settle before|after] [--seed S]\n" +
      "npm run kills -- --crawls N [--pay channel] [--kills N] [--store sqlite|postgres] [--seed S]\n" +
      "npm run kills -- --channels N [--calls N] [--kills N] [--store sqlite|postgres] [--seed S]\n" +
      "npm run kills -- --sessions N [--kills N] [--store sqlite|postgres] [--seed S]",
  );
  process.exit(0);
}
if (pay !== "payment" && pay !== "credit" && pay !== "channel") {
  console.error("Cannot run: --pay is payment, credit or channel");
  process.exit(1);
}
if ((store !== "sqlite" && store !== "postgres") || (settle !== "before" && settle !== "after")) {
  console.error("Cannot run: --store is sqlite or postgres, --settle is before or after");
  process.exit(1);
}
const began = performance.now();
const progress = (text: string): void => console.log(`${Math.round((performance.now() - began) / 1000)} s: ${text}`);
if (values.crawls !== undefined || values.channels !== undefined || values.sessions !== undefined) {
  const [kills = 0, crawls = 0, channels = 0, callers = 0, seed = 0] = [
    values.kills,
    values.crawls ?? 0,
    values.channels ?? 0,
    values.sessions ?? 0,
    values.seed,
  ].map(Number);
  const { wrong, ...sums } =
    channels > 0
      ? await buyThroughKills({ kills, channels, calls: Number(calls ?? 10), store, seed, progress })
      : callers > 0
        ? await visitThroughKills({ kills, callers, store, seed, progress })
        : await crawlThroughKills({
            kills,
            crawls,
            store,
            seed,
            progress,
            pay: pay === "channel" ? pay : "pages",
          });
  console.log(JSON.stringify(sums));
  console.log(`wrong: ${wrong.length}`);
  for (const one of wrong) console.log(`  ${one}`);
  process.exit(wrong.length === 0 ? 0 : 1);
}
if (pay === "channel") {
  console.error("Cannot run: --pay channel needs --crawls");
  process.exit(1);
}
console.log(`${pay}, settle ${settle} on ${store}, seed ${values.seed}`);
const { lost, wrong, ...counts } = await sellThroughKills({
  kills: Number(values.kills),
  pay,
  ...(calls === undefined ? {} : { calls: Number(calls) }),
  store,
  settle,
  seed: Number(values.seed),
  progress,
});
console.log(JSON.stringify(counts));
for (const [what, found] of Object.entries({ "paid and never answered": lost, wrong })) {
  console.log(`${what}: ${found.length}`);
  for (const one of found) console.log(`  ${one}`);
}
process.exit(lost.length + wrong.length === 0 ? 0 : 1);
