/**
 * The cost of compressed responses: CPU time of the whole gateway per megabyte of body, for each coding, compared with
 * nginx's gzip.
 */
import { parseArgs } from "node:util";
import { freePort } from "../src/lib/testing/listen.ts";
import { accepts, Children, cpuSeconds, waitFor } from "./support/children.ts";
import { isInstalled, startNginx, startTurnpike } from "./support/programs.ts";

const CONNECTIONS = 16;
const MB = 1_000_000;

interface Case {
  readonly path: string;
  readonly bytes: number;
}

const CASES: readonly Case[] = [
  { path: "/16k", bytes: 16_384 },
  { path: "/1m", bytes: 1_048_576 },
];

interface Subject {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly codings: readonly string[];
}

/** JSON as services send it, the same in each run. */
function jsonOf(bytes: number): string {
  let text = "[";
  for (let i = 0; text.length < bytes; i++) {
    const id = (i * 2_654_435_761) % 4_294_967_296;
    text += `${JSON.stringify({ id, name: `item ${id % 997}`, price: (id % 9973) / 100, tags: ["a", `t${id % 13}`] })},`;
  }
  return `${text.slice(0, bytes - 1)}]`;
}

async function startSubject(children: Children, originPort: number): Promise<Subject> {
  const name = "turnpike";
  const child = startTurnpike(children, name, {
    server: { workers: 1, address: "127.0.0.1", port: 0 },
    access_log: { enabled: false },
    compression: {},
    upstreams: [{ name: "origin", servers: [{ address: "127.0.0.1", port: originPort }] }],
    routes: [{ path_prefix: "/", upstream: "origin" }],
  });
  const port = await waitFor(child, name, async () => {
    const match = /listening on http:\/\/[^\s]*:(\d+)/.exec(child.output());
    return match === null ? undefined : Number(match[1]);
  });
  return { name, pid: child.pid, port, codings: ["identity", "gzip", "deflate", "br", "zstd"] };
}

async function startPeer(children: Children, originPort: number): Promise<Subject> {
  const port = await freePort();
  const http = `
  upstream origin { server 127.0.0.1:${originPort}; keepalive ${CONNECTIONS}; keepalive_requests 1000000000; }
  gzip on; gzip_comp_level 5; gzip_types application/json; gzip_proxied any; gzip_http_version 1.1;
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }`;
  const child = startNginx(children, "nginx", { workers: 1, connections: 1024, http });
  await waitFor(child, "nginx", () => accepts(port));
  return { name: "nginx", pid: child.pid, port, codings: ["identity", "gzip"] };
}

/** Requests this number of bytes of uncompressed bodies. Returns the bytes that arrived. */
async function drive(
  subject: Subject,
  { path, bytes }: Case,
  load: { coding: string; total: number },
): Promise<number> {
  let left = Math.ceil(load.total / bytes);
  let came = 0;
  const headers = { "accept-encoding": load.coding };
  const ask = async (): Promise<void> => {
    while (left-- > 0) {
      const reply = await fetch(`http://127.0.0.1:${subject.port}${path}`, { headers, decompress: false });
      if ((reply.headers.get("content-encoding") ?? "identity") !== load.coding) {
        throw new Error(`Cannot measure ${subject.name}: it did not respond in ${load.coding}`);
      }
      const { byteLength } = await reply.arrayBuffer();
      came += byteLength;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
  return came / (Math.ceil(load.total / bytes) * bytes);
}

async function measure(subject: Subject, body: Case, load: { coding: string; total: number }): Promise<void> {
  await drive(subject, body, { ...load, total: load.total / 5 });
  const before = cpuSeconds(subject.pid);
  const share = await drive(subject, body, load);
  const ms = ((cpuSeconds(subject.pid) - before) * 1000 * MB) / load.total;
  const title = `${body.path.padEnd(5)} ${subject.name.padEnd(9)} ${load.coding.padEnd(9)}`;
  console.log(
    `${title} ${ms.toFixed(2).padStart(6)} ms of CPU a MB   ${(share * 100).toFixed(1).padStart(5)} % of the bytes`,
  );
}

/** `npm run bench -- compression [--mb N]` */
export async function runCompressionBench(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { mb: { type: "string", default: "200" } } });
  const bodies = new Map(CASES.map(({ path, bytes }) => [path, jsonOf(bytes)]));
  const origin = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) =>
      new Response(bodies.get(new URL(request.url).pathname) ?? "", {
        headers: { "content-type": "application/json" },
      }),
  });
  const children = new Children();
  try {
    const subjects = [await startSubject(children, origin.port ?? 0)];
    if (isInstalled("nginx")) subjects.push(await startPeer(children, origin.port ?? 0));
    for (const body of CASES) {
      for (const subject of subjects) {
        for (const coding of subject.codings) await measure(subject, body, { coding, total: Number(values.mb) * MB });
      }
    }
    return 0;
  } finally {
    await children.close();
    await origin.stop(true);
  }
}
