/**
 * `npm run bench -- content-soak`: a thousand mixed pages in a row, normal and hostile. Memory must stay constant, and
 * no zombie may remain.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { descendantsOf } from "../src/content/testing/processes.ts";
import { startSite } from "../src/content/testing/site.ts";
import { Children, waitFor } from "./support/children.ts";
import { aligned } from "./support/report.ts";

/** The maximum growth of memory from the first measurement, after the warm-up, to the last. */
const MAX_GROWTH = 1.25;
/** Pages between two measurements. */
const MEASURE_EVERY = 100;
const CLIENTS = 3;
const ZOMBIE_MS = 3_000;

interface Asked {
  readonly path: string;
  readonly page: string;
  readonly body?: object;
  /** The allowed statuses. */
  readonly status: number;
}

const BROWSER = { engine: "browser" };

const MIX: readonly Asked[] = [
  { path: "/read", page: "/article", status: 200 },
  { path: "/scrape", page: "/article", body: BROWSER, status: 200 },
  { path: "/scrape", page: "/late", body: { selector: "#late", format: "html" }, status: 200 },
  { path: "/scrape", page: "/cookies", body: BROWSER, status: 200 },
  { path: "/extract", page: "/article", body: { ...BROWSER, selectors: { title: "h1", cells: "td" } }, status: 200 },
  { path: "/scrape", page: "/article", body: { stealth: true, format: "text" }, status: 200 },
  { path: "/scrape", page: "/popups", body: BROWSER, status: 200 },
  { path: "/scrape", page: "/article", body: { evaluate: "document.title" }, status: 200 },
  { path: "/screenshot", page: "/article", status: 200 },
  { path: "/scrape", page: "/alerts", body: BROWSER, status: 200 },
  { path: "/pdf", page: "/article", status: 200 },
  { path: "/scrape", page: "/shared-worker", body: { selector: "#done" }, status: 200 },
  { path: "/scrape", page: "/loop?n=1", body: BROWSER, status: 500 },
  { path: "/scrape", page: "/download", body: BROWSER, status: 500 },
  { path: "/scrape", page: "/pending-image", body: { ...BROWSER, partial: true, timeout: 2 }, status: 200 },
  { path: "/scrape", page: "/spin", body: { ...BROWSER, timeout: 1 }, status: 500 },
];

export async function runContentSoak(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { pages: { type: "string", default: "1000" } } });
  const pages = Number(values.pages);
  const children = new Children();
  const site = startSite();
  try {
    const argv = [process.execPath, fileURLToPath(new URL("content/service.ts", import.meta.url)), children.folder];
    const child = children.spawn({ name: "service", argv });
    const port = await waitFor(child, "service", async () => /^port (\d+)$/m.exec(child.output())?.[1]);
    const service = `http://127.0.0.1:${port}`;
    const measures: Measure[] = [];
    const failures = new Map<string, number>();
    const startedAt = performance.now();
    for (let done = 0; done < pages; done += MEASURE_EVERY) {
      await visit(service, site.url, { from: done, to: Math.min(pages, done + MEASURE_EVERY) }, failures);
      await noZombies(child.pid);
      measures.push({ pages: Math.min(pages, done + MEASURE_EVERY), ...measure(child.pid) });
    }
    const rate = pages / ((performance.now() - startedAt) / 1000);
    console.log(tableOf(measures));
    for (const [what, count] of failures) console.log(`${count} x ${what}`);
    return verdict(measures, failures, rate);
  } finally {
    await site.close();
    await children.close();
  }
}

async function visit(
  service: string,
  site: string,
  { from, to }: { readonly from: number; readonly to: number },
  failures: Map<string, number>,
): Promise<void> {
  let next = from;
  const client = async (): Promise<void> => {
    while (next < to) {
      const asked = MIX[next++ % MIX.length];
      if (asked === undefined) return;
      const response = await fetch(service + asked.path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ url: site + asked.page, timeout: 30, ...asked.body }),
      });
      await response.arrayBuffer();
      if (response.status === asked.status) continue;
      const what = `${asked.path} of ${asked.page}: ${response.status} in place of ${asked.status}`;
      failures.set(what, (failures.get(what) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

interface Measure {
  readonly pages: number;
  /** Proportional set size, in MiB. */
  readonly service: number;
  readonly browser: number;
  readonly processes: number;
  readonly zombies: number;
}

function measure(pid: number): Omit<Measure, "pages"> {
  const below = descendantsOf(pid);
  const zombies = below.filter((found) => stateOf(found.pid) === "Z").length;
  const browser = below.reduce((sum, found) => sum + proportionalMiB(found.pid), 0);
  return { service: proportionalMiB(pid), browser, processes: below.length, zombies };
}

/** A process is a zombie for the moment until its parent waits for it. A zombie that stays is an error. */
async function noZombies(pid: number): Promise<void> {
  const until = performance.now() + ZOMBIE_MS;
  while (performance.now() < until && measure(pid).zombies > 0) await Bun.sleep(50);
}

function stateOf(pid: number): string {
  return /\) (\S)/.exec(readQuietly(`/proc/${pid}/stat`))?.[1] ?? "";
}

function proportionalMiB(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(readQuietly(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024;
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    // The process ended in the meantime.
    return "";
  }
}

function tableOf(measures: readonly Measure[]): string {
  const rows = measures.map(({ pages, service, browser, processes, zombies }) =>
    [pages, service.toFixed(0), browser.toFixed(0), processes, zombies].map(String),
  );
  return aligned([["pages", "service MiB", "browser MiB", "its processes", "zombies"], ...rows]).join("\n");
}

/**
 * The first measurements are before the end of the warm-up. The last ones are combined, since each is only of one
 * moment.
 */
function verdict(measures: readonly Measure[], failures: ReadonlyMap<string, number>, rate: number): number {
  const third = Math.max(1, Math.floor(measures.length / 3));
  const largest = (of: readonly Measure[], key: "service" | "browser") => Math.max(...of.map((one) => one[key]));
  const early = measures.slice(0, 2 * third);
  const late = measures.slice(-third);
  const growth = (key: "service" | "browser") => largest(late, key) / largest(early, key);
  const zombies = measures.at(-1)?.zombies ?? 0;
  const good = growth("service") < MAX_GROWTH && growth("browser") < MAX_GROWTH && zombies === 0 && failures.size === 0;
  console.log(
    `${rate.toFixed(1)} pages/s; grown by ${growth("service").toFixed(2)} (service) and ${growth("browser").toFixed(2)} ` +
      `(browser) in the last third, ${zombies} zombies: ${good ? "flat" : "NOT AS IT SHOULD BE"}`,
  );
  return good ? 0 : 1;
}
