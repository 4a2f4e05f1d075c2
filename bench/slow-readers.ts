/** The memory of the gateway's processes and of the kernel while many clients do not read a large response. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "../src/lib/testing/listen.ts";
import { LOCALHOST } from "../test/support/certificates.ts";
import { accepts, type Children, processTree, waitFor } from "./support/children.ts";
import { compare } from "./support/comparison.ts";
import { pick } from "./support/options.ts";
import { startTurnpike } from "./support/programs.ts";

const BODY_BYTES = 7_900_000;
/** Milliseconds after which the buffers are full. */
const SETTLE_MS = 8000;
const MB = 1e6;

const CASES = ["http1", "http2", "tls"].flatMap((protocol) =>
  [true, false].map((isCached) => ({ name: `${protocol}-${isCached ? "cached" : "proxied"}`, protocol, isCached })),
);
type Case = (typeof CASES)[number];

interface Options {
  readonly cases: readonly Case[];
  readonly clients: number;
  readonly workers: number;
}

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string" },
      clients: { type: "string", default: "400" },
      workers: { type: "string", default: "1" },
    },
  });
  const [clients, workers] = [Number(values.clients), Number(values.workers)];
  if (!(clients >= 1 && clients <= 1000 && workers >= 1)) throw new RangeError("--clients takes 1 to 1000");
  return { cases: pick(CASES, values.only), clients, workers };
}

/** Returns the exit code of `compare`. */
export async function runSlowReadersBench(args: readonly string[]): Promise<number> {
  const usage = `usage: npm run bench -- slow-readers [--only CASE,...] [--clients N] [--workers N]
cases: ${CASES.map(({ name }) => name).join(", ")}`;
  return await compare({ name: "slow-readers", usage, tools: [["ss", "iproute2"]], read: readOptions, measure }, args);
}

async function measure(children: Children, { cases, clients, workers }: Options): Promise<void> {
  console.log(`${clients} clients that do not read ${BODY_BYTES / MB} MB; MB before and after; workers: ${workers}`);
  console.log("case             processes         kernel, the gateway's sockets    per client");
  for (const { name, protocol, isCached } of cases) {
    const group = children.group();
    const body = Buffer.alloc(BODY_BYTES, "x");
    const headers = { "cache-control": "max-age=600" };
    const origin = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(body, { headers }) });
    const port = await freePort();
    const gateway = startTurnpike(
      group,
      "turnpike",
      configOf(group, { port, origin: origin.port ?? 0, workers, isCached, useTls: protocol === "tls" }),
    );
    await waitFor(gateway, "turnpike", () => accepts(port));
    const scheme = protocol === "tls" ? "https" : "http";
    const tls = { rejectUnauthorized: false };
    for (let i = 0; i < 4; i++) await (await fetch(`${scheme}://127.0.0.1:${port}/large`, { tls })).arrayBuffer();
    const before = residentMb(gateway.pid);
    const argv = [process.execPath, join(import.meta.dir, "slow-clients/readers.ts"), protocol, port, clients].map(
      String,
    );
    const readers = group.spawn({ name: "the readers", argv });
    await waitFor(readers, "the readers", async () => readers.output().includes("ready") || undefined);
    await Bun.sleep(SETTLE_MS);
    const [after, kernel] = [residentMb(gateway.pid), kernelMb(port)];
    const each = ((after - before + kernel) / clients).toFixed(2);
    console.log(
      `${name.padEnd(16)} ${before.toFixed(0).padStart(4)} -> ${after.toFixed(0).padEnd(8)} ${kernel.toFixed(0).padStart(6)} ${each.padStart(36)}`,
    );
    await group.close();
    await origin.stop(true);
  }
}

interface Settings {
  readonly port: number;
  readonly origin: number;
  readonly workers: number;
  readonly isCached: boolean;
  readonly useTls: boolean;
}

function configOf(children: Children, { port, origin, workers, isCached, useTls }: Settings): object {
  const [cert_path, key_path] = [join(children.folder, "cert.pem"), join(children.folder, "key.pem")];
  writeFileSync(cert_path, LOCALHOST.cert);
  writeFileSync(key_path, LOCALHOST.key);
  return {
    server: {
      workers,
      max_connections_per_address: 2000,
      listeners: [{ address: "127.0.0.1", port, use_tls: useTls }],
    },
    tls: { cert_path, key_path },
    access_log: { enabled: false },
    upstreams: [
      { name: "origin", servers: [{ address: "127.0.0.1", port: origin }], connection_pool: { max_connections: 2000 } },
    ],
    routes: [{ path_prefix: "/", upstream: "origin", ...(isCached ? { cache: {} } : {}) }],
  };
}

/** Resident memory of a process and its descendants. */
function residentMb(pid: number): number {
  const kilobytes = processTree(pid).map((member) =>
    Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${member}/status`, "latin1"))?.[1] ?? 0),
  );
  return (kilobytes.reduce((sum, one) => sum + one, 0) * 1024) / MB;
}

/** The buffers of the sockets with this local port, in the kernel. */
function kernelMb(port: number): number {
  const listed = Bun.spawnSync(["ss", "-tmnH", "sport", "=", `:${port}`]).stdout.toString();
  let bytes = 0;
  for (const [, received, reserved, queued] of listed.matchAll(/skmem:\(r(\d+),rb\d+,t\d+,tb\d+,f(\d+),w(\d+)/g)) {
    bytes += Number(received) + Number(reserved) + Number(queued);
  }
  return bytes / MB;
}
