/** The cost of filters in the real chain: CPU time of the gateway for a path with filters and for one without. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { compileAssemblyScript, compileProxyWasm } from "../../src/gateway/filters/module/testing/assembly-script.ts";
import { startOrigin } from "../proxy/origin.ts";
import { type Child, type Children } from "../support/children.ts";
import { type Rounds } from "../support/options.ts";
import { listeningPort, originUpstream, startTurnpike } from "../support/programs.ts";
import { median, type Sample } from "../support/report.ts";
import { type Contestant, drivenByWrk, measureRounds } from "../support/rounds.ts";
import { runWrk } from "../support/wrk.ts";

const CONNECTIONS = 64;
const SDK_FILTER = join(import.meta.dir, "../../examples/filters/add-header.ts");
/** A path of a gateway with filters only on other routes, and one of a gateway without filters. */
const UNFILTERED = "a route without filters";
const BARE = "a gateway without filters";

/** Paths and their filters. Goals are CPU microseconds per request above the unfiltered route. */
const ROWS = [
  { name: UNFILTERED, path: "/small", goal: undefined },
  { name: "a filter that allows at once", path: "/allow", goal: 2 },
  { name: "two header reads", path: "/reads", goal: 2 },
  { name: "an SDK filter that adds a header", path: "/sdk", goal: 15 },
];

interface Sources {
  readonly allow: string;
  readonly reads: string;
}

async function writeModules(folder: string, { allow, reads }: Sources): Promise<object[]> {
  const modules = {
    "/allow": await compileAssemblyScript(allow, ["--runtime", "stub"]),
    "/reads": await compileAssemblyScript(reads, ["--runtime", "stub"]),
    "/sdk": await compileProxyWasm(await readFile(SDK_FILTER, "utf8")),
  };
  return await Promise.all(
    Object.entries(modules).map(async ([match, bytes]) => {
      const module = join(folder, `${match.slice(1)}.wasm`);
      await writeFile(module, bytes);
      return { match, module };
    }),
  );
}

async function start(children: Children, name: string, config: object, originPort: number): Promise<[Child, number]> {
  const child = startTurnpike(children, name, {
    server: { workers: 1, address: "127.0.0.1", port: 0 },
    access_log: { enabled: false },
    upstreams: [originUpstream(originPort, CONNECTIONS)],
    ...config,
  });
  const port = await listeningPort(child, name);
  return [child, port];
}

function contestant(children: Children, name: string, child: Child, url: string): Contestant {
  const more = ["-H", "X-API-Key: 0123456789abcdef"];
  return drivenByWrk({ name, child }, (seconds) => runWrk(children, url, { connections: CONNECTIONS, seconds, more }));
}

/** Measures all rows in alternating rounds, so that other load on the machine affects all of them. */
export async function measureChain(children: Children, rounds: Rounds, sources: Sources): Promise<void> {
  const origin = await startOrigin(children);
  const rewrite = { upstream: "origin", rewrite_replacement: "/small" };
  const routes = ROWS.map(({ path }) => ({ path_prefix: path, ...rewrite, rewrite_pattern: path }));
  const wasm_filters = await writeModules(children.folder, sources);
  const [bare, barePort] = await start(children, "bare", { routes }, origin.port);
  const [child, port] = await start(children, "filtered", { routes, wasm_filters }, origin.port);
  const samples = await measureRounds(
    [
      contestant(children, BARE, bare, `http://127.0.0.1:${barePort}/small`),
      ...ROWS.map(({ name, path }) => contestant(children, name, child, `http://127.0.0.1:${port}${path}`)),
    ],
    rounds,
  );
  const base = timesOf(samples, UNFILTERED);
  for (const { name, goal } of [{ name: BARE, goal: undefined }, ...ROWS]) {
    const own = timesOf(samples, name);
    const more = median([...own].map(([round, time]) => time - (base.get(round) ?? Number.NaN)));
    const beyond = name === UNFILTERED ? "" : `, ${more >= 0 ? "+" : ""}${more.toFixed(2)} us`;
    const aim = goal === undefined ? "" : `, goal below ${goal} us`;
    console.log(
      `${name.padEnd(34)} ${median([...own.values()])
        .toFixed(2)
        .padStart(6)} us of CPU a request${beyond}${aim}`,
    );
  }
}

/** CPU microseconds per request, by round. */
function timesOf(samples: readonly Sample[], name: string): ReadonlyMap<number, number> {
  const own = samples.filter(({ program }) => program === name);
  return new Map(own.map(({ round, requestsPerCpuSecond }) => [round, 1e6 / requestsPerCpuSecond]));
}
