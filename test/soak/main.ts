/**
 * `npm run soak -- [--minutes N] [--seed S] [--only PATTERN]`: normal, malformed and aborted traffic on all protocols
 * at the same time. Fails if a byte is wrong, memory keeps growing, a connection or a request is stuck, or an exception
 * was thrown.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "../../src/lib/testing/listen.ts";
import { Random } from "../fuzz/random.ts";
import { cpuSeconds } from "../floods/flooder.ts";
import { everythingTo, type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { parseMetrics } from "../support/prometheus.ts";
import { LOCALHOST } from "../support/certificates.ts";
import { type MemorySample, troughsOf } from "./memory.ts";
import { SoakOrigin } from "./origin.ts";
import { type Ports, type Visit, VISITS } from "./traffic.ts";

const SAMPLE_MS = 2_000;
/** The share of the time after which memory should be stable. */
const WARM_UP = 0.4;
/** KiB per minute that do not count as growth, and KiB by which the minimums of a short run may differ. */
const MAX_SLOPE = 2_048;
const MAX_GROWTH = 32_768;
const SETTLE_MS = 30_000;
/** Failures of one kind that are printed. */
const SHOWN = 5;

interface Tally {
  visits: number;
  bytes: number;
  readonly failures: string[];
}

async function start(origin: SoakOrigin, folder: string): Promise<{ gateway: Gateway; ports: Ports }> {
  const ports = { plain: await freePort(), tls: await freePort(), quic: await freePort() };
  const files = { cert_path: join(folder, "cert.pem"), key_path: join(folder, "key.pem") };
  writeFileSync(files.cert_path, LOCALHOST.cert);
  writeFileSync(files.key_path, LOCALHOST.key);
  const address = "127.0.0.1";
  const gateway = await startGateway({
    access_log: { enabled: false },
    // Short, so that connections that clients keep or abandon are closed before the final check.
    timeouts: { idle_ms: 10_000, header_ms: 5_000, write_ms: 5_000 },
    server: {
      listeners: [
        { address, port: ports.plain },
        { address, port: ports.tls, use_tls: true },
      ],
    },
    tls: files,
    quic: { enabled: true, port: ports.quic, max_idle_timeout_ms: 5_000, ...files },
    ...everythingTo(origin.port),
    // A QUIC client that leaves silently occupies its connection to the origin until its idle timeout.
    upstreams: [{ name: "origin", servers: [serverAt(origin.port)], connection_pool: { max_connections: 1000 } }],
  });
  return { gateway, ports };
}

async function repeat(
  visit: Visit,
  ports: Ports,
  { random, ends, tally }: { random: Random; ends: number; tally: Tally },
): Promise<void> {
  while (performance.now() < ends) {
    try {
      tally.bytes += await visit(ports, random);
      tally.visits++;
    } catch (error) {
      tally.failures.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

async function connectionsOpen(port: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, {
    headers: { Connection: "close" },
    keepalive: false,
  });
  const metric = parseMetrics(await response.text()).get("turnpike_connections_open");
  return (metric?.samples ?? []).reduce((sum, { value }) => sum + value, 0);
}

/** Waits until only this client is connected, and the origin is idle. Returns the reason if that does not happen. */
async function settled(gateway: Gateway, ports: Ports, origin: SoakOrigin): Promise<string> {
  const ends = performance.now() + SETTLE_MS;
  let open = 0;
  while (performance.now() < ends) {
    open = await connectionsOpen(ports.plain);
    if (open <= 1 && origin.open === 0) return "";
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return `${open} connections and ${origin.open} requests are stuck in process ${gateway.pid}`;
}

type Kinds = typeof VISITS;

async function soak(kinds: Kinds, minutes: number, seed: number): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-soak-"));
  const origin = new SoakOrigin();
  await origin.listen();
  const { gateway, ports } = await start(origin, folder);
  // If the soak test is stopped, the gateway must stop too.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void gateway.stop().finally(() => process.exit(1)));
  }
  const began = performance.now();
  const ends = began + minutes * 60_000;
  const tallies = new Map<string, Tally>(kinds.map(([name]) => [name, { visits: 0, bytes: 0, failures: [] }]));
  const samples: MemorySample[] = [];
  const sample = (): number =>
    samples.push({ minutes: (performance.now() - began) / 60_000, kib: gateway.memoryKib("VmRSS") });
  const sampler = setInterval(sample, SAMPLE_MS);
  try {
    await Promise.all(
      kinds.flatMap(([name, clients, visit], kind) =>
        Array.from({ length: clients }, (_, i) => {
          const tally = tallies.get(name) ?? { visits: 0, bytes: 0, failures: [] };
          return repeat(visit, ports, { random: new Random(seed + 100 * kind + i), ends, tally });
        }),
      ),
    );
    clearInterval(sampler);
    const stuck = await settled(gateway, ports, origin);
    return judge({ gateway, tallies, samples, stuck, minutes });
  } finally {
    clearInterval(sampler);
    await gateway.stop();
    origin.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Run {
  readonly gateway: Gateway;
  readonly tallies: ReadonlyMap<string, Tally>;
  readonly samples: readonly MemorySample[];
  readonly stuck: string;
  readonly minutes: number;
}

/** Prints the results; returns the errors. */
function judge({ gateway, tallies, samples, stuck, minutes }: Run): string[] {
  const problems: string[] = [];
  for (const [name, { visits, bytes, failures }] of tallies) {
    const size = `${(bytes / 1e6).toFixed(0)} MB`;
    console.log(
      `${name.padEnd(20)} ${String(visits).padStart(8)} visits ${size.padStart(9)} ${failures.length} failures`,
    );
    if (visits === 0) problems.push(`${name}: no visit succeeded`);
    for (const failure of failures.slice(0, SHOWN)) problems.push(`${name}: ${failure}`);
  }
  const steady = samples.filter((sample) => sample.minutes > minutes * WARM_UP);
  const { early, late, slope } = troughsOf(steady);
  const highest = Math.max(0, ...steady.map(({ kib }) => kib));
  console.log(
    `memory after the warm-up: ${(early / 1024).toFixed(0)} MiB at the least, later ${(late / 1024).toFixed(0)}, ` +
      `${(highest / 1024).toFixed(0)} at the most; CPU: ${cpuSeconds(gateway.pid).toFixed(0)} s`,
  );
  if (slope > MAX_SLOPE && late - early > MAX_GROWTH)
    problems.push(`the lowest points of memory have risen by ${((late - early) / 1024).toFixed(1)} MiB`);
  if (stuck !== "") problems.push(stuck);
  const errors = gateway.output().match(/internal error: .*(?:\n {4}at .*)*/g) ?? [];
  console.log(`internal errors in the log: ${errors.length}`);
  for (const error of errors.slice(0, SHOWN)) problems.push(error);
  return problems;
}

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "5" }, seed: { type: "string" }, only: { type: "string" } },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const kinds = VISITS.filter(([name]) => values.only === undefined || new RegExp(values.only).test(name));
if (!(minutes > 0) || !Number.isInteger(seed) || kinds.length === 0) {
  const names = VISITS.map(([name]) => name).join(" | ");
  console.error(`usage: npm run soak -- [--minutes N] [--seed S] [--only PATTERN OF: ${names}]`);
  process.exit(2);
}
console.log(`soak: ${minutes} minutes, seed ${seed}`);
const problems = await soak(kinds, minutes, seed);
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? "nothing found" : `${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
