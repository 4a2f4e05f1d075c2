/**
 * The cost of policies: each alone, and all together, compared with the bare proxy and with nginx with similar
 * features. As in the proxy bench, the measure is requests per CPU-second of the proxy's processes.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "../src/lib/testing/listen.ts";
import { SMALL_BODY } from "./proxy/bodies.ts";
import { startOrigin } from "./proxy/origin.ts";
import { KEY, type Part, PARTS } from "./policy-cases.ts";
import { accepts, type Child, type Children, waitFor } from "./support/children.ts";
import { compare } from "./support/comparison.ts";
import { pick, readRounds, ROUND_FLAGS, type Rounds, usage } from "./support/options.ts";
import { type Groups, pinnedGroups } from "./support/pinned-groups.ts";
import {
  folderFor,
  isInstalled,
  listeningPort,
  NGINX_ID,
  nginxFields,
  originUpstream,
  startNginx,
  startTurnpike,
} from "./support/programs.ts";
import { noise, summarise, table } from "./support/report.ts";
import { type Contestant, drivenByWrk, measureRounds, warmUp } from "./support/rounds.ts";
import { runWrk } from "./support/wrk.ts";

const CONNECTIONS = 64;
/** The maximum share of the bare proxy's requests per CPU-second that all policies together may cost. */
const MOST_COST = 0.15;

const CASES = [{ name: "bare" }, ...PARTS.map(({ name }) => ({ name })), { name: "all" }, { name: "nginx" }];

interface Options extends Rounds {
  readonly only: ReadonlySet<string>;
}

function partsOf(name: string): readonly Part[] {
  return name === "all" ? PARTS : PARTS.filter((part) => part.name === name);
}

function contestant(children: Children, child: Child, name: string, port: number): Contestant {
  const load = { connections: CONNECTIONS, isMixed: true, more: ["-H", `X-API-Key: ${KEY}`] };
  const url = `http://127.0.0.1:${port}/small`;
  return drivenByWrk({ name, child }, (seconds) => runWrk(children, url, { ...load, seconds }));
}

interface Site {
  readonly originPort: number;
  readonly collectorPort: number;
}

async function startSubject(
  { measured, load }: Groups,
  name: string,
  { originPort, collectorPort }: Site,
): Promise<Contestant> {
  const parts = partsOf(name);
  const folder = folderFor(measured, `files-${name}`);
  const child = startTurnpike(measured, name, {
    server: { workers: 1, address: "127.0.0.1", port: 0 },
    access_log: { enabled: false },
    ...Object.assign(
      {},
      ...parts.map((part) => part.whole?.({ logPath: join(folder, "access.log"), collectorPort }) ?? {}),
    ),
    upstreams: [originUpstream(originPort, CONNECTIONS)],
    routes: [{ path_prefix: "/", upstream: "origin", ...Object.assign({}, ...parts.map((part) => part.route ?? {})) }],
  });
  const port = await listeningPort(child, name);
  return contestant(load, child, name, port);
}

/** nginx with a limit, a JSON log and the same header fields. It has no API keys and no traces. */
async function startPeer({ measured, load }: Groups, { originPort }: Site): Promise<Contestant> {
  const port = await freePort();
  const log = join(folderFor(measured, "files-nginx"), "access.log");
  const http = `
  upstream origin { server 127.0.0.1:${originPort}; keepalive ${CONNECTIONS}; keepalive_requests 1000000000; }
  ${NGINX_ID}
  limit_req_zone $binary_remote_addr zone=clients:10m rate=1000000r/s;
  log_format json escape=json '{"time":"$time_iso8601","client":"$remote_addr","method":"$request_method","path":"$request_uri","status":$status,"bytes":$body_bytes_sent,"ms":$request_time,"agent":"$http_user_agent","referrer":"$http_referer","id":"$id","upstream":"$upstream_addr","upstream_status":"$upstream_status","connect":"$upstream_connect_time","first":"$upstream_header_time"}';
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      access_log ${log} json buffer=64k;
      limit_req zone=clients burst=1000000 nodelay;
      proxy_pass http://origin;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      ${nginxFields()}
      add_header Referrer-Policy strict-origin-when-cross-origin;
      add_header X-Frame-Options SAMEORIGIN;
      add_header X-Content-Type-Options nosniff;
    }
  }`;
  const child = startNginx(measured, "nginx", { workers: 1, connections: 8192, http });
  await waitFor(child, "nginx", () => accepts(port));
  return contestant(load, child, "nginx", port);
}

async function measure(children: Children, options: Options): Promise<void> {
  const groups = pinnedGroups(children);
  const origin = await startOrigin(groups.load);
  const collector = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({}) });
  try {
    const site = { originPort: origin.port, collectorPort: collector.port ?? 0 };
    const contestants: Contestant[] = [];
    for (const { name } of CASES) {
      if (!options.only.has(name)) continue;
      if (name !== "nginx") contestants.push(await startSubject(groups, name, site));
      else if (isInstalled("nginx")) contestants.push(await startPeer(groups, site));
    }
    for (const one of contestants) await warmUp(one);
    const samples = await measureRounds(contestants, options);
    const about = `${SMALL_BODY.length} bytes of JSON over ${CONNECTIONS} connections; the ratio is of "all" to each`;
    const result = summarise({ name: "policy", about }, { samples }, "all");
    console.log(table(result, "all"));
    console.log(noise([result]));
    const bare = result.rows.find(({ program }) => program === "bare");
    if (bare !== undefined && options.only.has("all")) {
      const cost = 1 - bare.ratio;
      console.log(`all at once cost ${(cost * 100).toFixed(0)} % of the bare proxy, goal ${MOST_COST * 100} % at most`);
    }
  } finally {
    await collector.stop(true);
  }
}

/** Returns the exit code of `compare`. */
export async function runPolicyBench(args: readonly string[]): Promise<number> {
  return await compare(
    {
      name: "policy",
      usage: usage("policy", { cases: CASES, peers: [] }),
      tools: [["wrk", "wrk"]],
      read(given) {
        const { values } = parseArgs({ args: [...given], options: ROUND_FLAGS });
        const only = new Set(pick(CASES, values.only).map(({ name }) => name));
        return { only, ...readRounds(values) };
      },
      measure,
    },
    args,
  );
}
