/** `npm run bench -- content-attack`: the throughput of one client's pages while another client loads hostile pages. */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { browserPrograms } from "../src/content/browser/program/find.ts";
import { ATTACKS, startAttackSite } from "../src/content/testing/attacks.ts";
import { SCRIPT_PAGES } from "./content/pages.ts";
import { type Child, Children, cpuSecondsOfTree, waitFor } from "./support/children.ts";
import { pick, ROUND_FLAGS, readRounds, type Rounds, usage } from "./support/options.ts";
import { aligned, median } from "./support/report.ts";

/** The minimum share of the undisturbed throughput. */
const FLOOR = 0.6;
/** Milliseconds of attack before a round is measured. */
const LEAD_MS = 1_000;
const WARM_UP_SECONDS = 3;

interface Parties {
  readonly service: string;
  readonly child: Child;
  /** The URLs of the normal pages and of the hostile ones. */
  readonly site: string;
  readonly attacks: string;
  readonly attackers: number;
}

interface Round {
  readonly pages: number;
  readonly failed: number;
  /** CPU-seconds per second of service and browser. */
  readonly cpu: number;
}

export async function runContentAttackBench(args: readonly string[]): Promise<number> {
  const children = new Children();
  const attackSite = startAttackSite();
  try {
    const options = { ...ROUND_FLAGS, attackers: { type: "string", default: "1" } } as const;
    const { values } = parseArgs({ args: [...args], options });
    const attacks = pick(ATTACKS, values.only);
    const rounds = readRounds(values);
    // Unpacks the browser, which takes longer than the timeout for a service's start.
    await browserPrograms(undefined, `${children.folder}/browser`).next();
    const [site, service] = [await start(children, "site", []), await start(children, "service", [children.folder])];
    const parties: Parties = {
      service: service.url,
      child: service.child,
      site: site.url,
      // A separate site.
      attacks: `http://127.0.0.9:${attackSite.port}`,
      attackers: Number(values.attackers),
    };
    await neighbour(parties, WARM_UP_SECONDS);
    let held = true;
    for (const { name, about } of attacks) {
      const shares: number[] = [];
      const rows = [["", "pages/min", "failed", "CPU-s/s"]];
      for (let round = 0; round < rounds.rounds; round += 1) {
        const floodBudget = await neighbour(parties, rounds.seconds);
        const attacked = await underAttack(parties, name, rounds);
        shares.push(attacked.pages / Math.max(1, floodBudget.pages));
        rows.push(rowOf("calm", floodBudget, rounds), rowOf("attacked", attacked, rounds));
      }
      const share = median(shares);
      held &&= share >= FLOOR;
      const verdict = share >= FLOOR ? "" : `   BELOW ${FLOOR * 100} %`;
      console.log(`${name}: ${about}: ${(share * 100).toFixed(0)} %${verdict}\n${aligned(rows).join("\n")}`);
    }
    return held ? 0 : 1;
  } catch (error) {
    if (!(error instanceof RangeError) && !(error instanceof TypeError)) throw error;
    console.error(`${error.message}\n\n${usage("content-attack", { cases: ATTACKS, peers: [] }, " [--attackers N]")}`);
    return 2;
  } finally {
    await attackSite.stop(true);
    await children.close();
  }
}

async function start(
  children: Children,
  name: string,
  args: readonly string[],
): Promise<{ child: Child; url: string }> {
  const program = fileURLToPath(new URL(`content/${name}.ts`, import.meta.url));
  const child = children.spawn({ name, argv: [process.execPath, program, ...args] });
  const port = await waitFor(child, name, async () => /^port (\d+)$/m.exec(child.output())?.[1]);
  return { child, url: `http://127.0.0.1:${port}` };
}

/** Loads one page after the other, without pauses. */
async function neighbour({ service, site, child }: Parties, seconds: number): Promise<Round> {
  const urls = [...SCRIPT_PAGES.keys()].map((path) => site + path);
  const cpuBefore = cpuSecondsOfTree(child.pid);
  const startedAt = performance.now();
  let pages = 0;
  let failed = 0;
  for (let n = 0; performance.now() - startedAt < seconds * 1000; n += 1) {
    const response = await read(service, { url: urls[n % urls.length], selector: "main" }, undefined);
    if (response.status === 200) pages += 1;
    else failed += 1;
  }
  const elapsed = (performance.now() - startedAt) / 1000;
  return { pages: (pages * seconds) / elapsed, failed, cpu: (cpuSecondsOfTree(child.pid) - cpuBefore) / elapsed };
}

/** The attackers request the hostile page again after each response. */
async function underAttack(parties: Parties, name: string, { seconds }: Rounds): Promise<Round> {
  const over = new AbortController();
  const body = { url: `${parties.attacks}/${name}`, engine: "browser", wait: 20 };
  const attacker = async (): Promise<void> => {
    while (!over.signal.aborted) await read(parties.service, body, over.signal).catch(() => undefined);
  };
  const attackers = Array.from({ length: parties.attackers }, attacker);
  await Bun.sleep(LEAD_MS);
  const round = await neighbour(parties, seconds);
  over.abort();
  await Promise.all(attackers);
  return round;
}

async function read(service: string, body: object, signal: AbortSignal | undefined): Promise<Response> {
  const response = await fetch(`${service}/read`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
  await response.arrayBuffer();
  return response;
}

function rowOf(what: string, { pages, failed, cpu }: Round, { seconds }: Rounds): string[] {
  return [what, ((pages * 60) / seconds).toFixed(0), String(failed), cpu.toFixed(2)];
}
