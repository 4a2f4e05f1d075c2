/**
 * The growth of the CPU time of a request with routes, upstreams, header fields and connections, compared with nginx. Each
 * point is a server of its own with its own CPU; load and origin use the other CPU.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Curve, CURVES, loadOf, type Point, PREFIX } from "./growth/curves.ts";
import { plotSvg } from "./growth/plot.ts";
import { type Server, SERVERS, startOrigin } from "./growth/servers.ts";
import { type Children, processTree } from "./support/children.ts";
import { compare } from "./support/comparison.ts";
import { cpuNanoseconds, pin } from "./support/cpu-time.ts";
import { pick, readRounds, type Rounds } from "./support/options.ts";
import { aligned, median } from "./support/report.ts";

const SERVER_CPU = 0;
const LOAD_CPU = 1;
/**
 * Milliseconds of load before the first round, in which the gateway compiles its hot code, and before each further
 * round.
 */
const FIRST_WARM_UP_MS = 5000;
const WARM_UP_MS = 500;
const IMAGES = join(import.meta.dir, "../docs/images");

interface Options extends Rounds {
  readonly curves: readonly Curve[];
  readonly writes: boolean;
}

/** Returns the exit code of `compare`. */
export async function runGrowthBench(args: readonly string[]): Promise<number> {
  return await compare(
    {
      name: "growth",
      usage: `usage: npm run bench -- growth [--only CURVE,...] [--rounds N] [--seconds N] [--write]
curves: ${CURVES.map(({ name }) => name).join(", ")}
--write: draws docs/images/growth-CURVE.svg`,
      tools: [
        ["wrk", "wrk"],
        ["nginx", "nginx"],
      ],
      read: readOptions,
      measure,
    },
    args,
  );
}

function readOptions(args: readonly string[]): Options {
  const options = {
    only: { type: "string" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "2" },
    write: { type: "boolean", default: false },
  } as const;
  const { values } = parseArgs({ args: [...args], options });
  return { curves: pick(CURVES, values.only), writes: values.write, ...readRounds(values) };
}

async function measure(children: Children, { curves, writes, ...rounds }: Options): Promise<void> {
  pin(process.pid, LOAD_CPU);
  for (const curve of curves) {
    const found = SERVERS.map(({ name }) => ({ name, points: [] as [number, number][] }));
    const rows: string[][] = [[curve.axis, ...SERVERS.map(({ name }) => `${name} µs`), "ratio"]];
    for (const point of curve.points) {
      const costs = await measurePoint(children, { curve, point, rounds });
      for (const [i, cost] of costs.entries()) found[i]?.points.push([point.x, cost]);
      const [own = Number.NaN, peer = Number.NaN] = costs;
      rows.push([String(point.x), own.toFixed(1), peer.toFixed(1), (own / peer).toFixed(2)]);
    }
    console.log(`${curve.title}: CPU of a request, ${rounds.rounds} rounds of ${rounds.seconds} s`);
    console.log(`${aligned(rows).join("\n")}\n`);
    if (!writes) continue;
    const svg = plotSvg({ title: curve.title, x: curve.axis, y: "µs of CPU a request", lines: found });
    writeFileSync(join(IMAGES, `growth-${curve.name}.svg`), svg);
  }
}

interface Measured {
  readonly curve: Curve;
  readonly point: Point;
  readonly rounds: Rounds;
}

interface Measuring extends Measured {
  readonly warmUpMs: number;
}

/** CPU microseconds per request of each server: the median of alternating rounds. */
async function measurePoint(children: Children, { curve, point, rounds }: Measured): Promise<number[]> {
  const group = children.group();
  const origin = await startOrigin(group);
  pin(origin.pid, LOAD_CPU);
  const servers: Server[] = [];
  for (const kind of SERVERS) {
    const server = await kind.start(group, point, origin.port);
    pin(server.pid, SERVER_CPU);
    servers.push(server);
  }
  const costs = servers.map((): number[] => []);
  for (let round = 0; round < rounds.rounds; round += 1) {
    for (const [i, server] of servers.entries()) {
      const warmUpMs = round === 0 ? FIRST_WARM_UP_MS : WARM_UP_MS;
      costs[i]?.push(await measureOnce(group, server, { curve, point, rounds, warmUpMs }));
    }
  }
  await group.close();
  return costs.map(median);
}

async function measureOnce(
  children: Children,
  server: Server,
  { curve, point, rounds, warmUpMs }: Measuring,
): Promise<number> {
  const load = children.group();
  const path = curve.isOwn ? server.ownPath : `${PREFIX}0`;
  const url = `http://127.0.0.1:${server.port}${path}`;
  const more = loadOf(curve, point, load.folder);
  const argv = ["wrk", "-t1", `-c${point.connections}`, "-d9999s", "--timeout", "20s", ...more, url];
  const child = load.spawn({ name: "wrk", argv });
  pin(child.pid, LOAD_CPU);
  const cpu = (): number => processTree(server.pid).reduce((sum, pid) => sum + cpuNanoseconds(pid), 0);
  await Bun.sleep(warmUpMs + point.connections / 10);
  const [before, began] = [await server.requests(), cpu()];
  await Bun.sleep(rounds.seconds * 1000);
  const used = cpu() - began;
  const requests = (await server.requests()) - before;
  const ended = child.exited();
  await load.close();
  if (ended !== undefined) throw new Error(`Cannot continue the measurement: ${ended}: ${child.output()}`);
  if (requests <= 0) throw new Error(`Cannot measure ${curve.name} at ${point.x}: no request had a response`);
  return used / 1000 / requests;
}
