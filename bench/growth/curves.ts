/** The quantities that grow, with their configurations and loads. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** One load on one configuration. */
export interface Point {
  readonly x: number;
  readonly routes: number;
  readonly upstreams: number;
  readonly connections: number;
  /** Approximate bytes of the header section of each request. */
  readonly headerBytes: number;
}

export interface Curve {
  readonly name: string;
  readonly title: string;
  readonly axis: string;
  /** The server's local response. With an upstream, 10,000 connections would need too many file descriptors. */
  readonly isOwn: boolean;
  readonly points: readonly Point[];
}

const PLAIN = { routes: 1, upstreams: 1, connections: 64, headerBytes: 40 };
const DECADES = [1, 10, 100, 1000, 10_000];

export const CURVES: readonly Curve[] = [
  {
    name: "routes",
    title: "Routes, all of them asked for",
    axis: "routes",
    isOwn: false,
    points: DECADES.map((x) => ({ ...PLAIN, x, routes: x })),
  },
  {
    name: "upstreams",
    title: "Upstreams, each with a route; 100 of them asked for",
    axis: "upstreams",
    isOwn: false,
    // 1,024 is the maximum of the gateway.
    points: [1, 10, 100, 1000].map((x) => ({ ...PLAIN, x, routes: x, upstreams: x })),
  },
  {
    name: "headers",
    title: "Header section of a request",
    axis: "bytes",
    isOwn: false,
    points: [200, 500, 1000, 2000, 4000, 8000, 16_000].map((x) => ({ ...PLAIN, x, headerBytes: x })),
  },
  {
    name: "connections",
    title: "Connections at work, the server's own response",
    axis: "connections",
    isOwn: true,
    points: [10, 100, 1000, 10_000].map((x) => ({ ...PLAIN, x, connections: x })),
  },
];

/** The load uses at most this number of upstreams, so that no connection is opened during the measurement. */
const HOT_UPSTREAMS = 100;
/** Bytes of a header field of the load, with its name and line end. */
const FIELD_BYTES = 200;

/** The path of a route, without its number. */
export const PREFIX = "/route/";

/** Arguments of wrk for a point. */
export function loadOf({ isOwn }: Curve, point: Point, folder: string): string[] {
  if (isOwn) return [];
  const hot = point.upstreams > 1 ? Math.min(point.upstreams, HOT_UPSTREAMS) : point.routes;
  const script = join(folder, "paths.lua");
  // wrk adds the fields of the command line to the result of `wrk.format`.
  writeFileSync(
    script,
    `request = function() return wrk.format("GET", "${PREFIX}" .. math.random(0, ${hot - 1})) end\n`,
  );
  return [...fieldsOf(point.headerBytes), "-s", script];
}

function fieldsOf(bytes: number): string[] {
  const args: string[] = [];
  for (let left = bytes - PLAIN.headerBytes, n = 0; left > 0; n++) {
    const size = Math.min(left, FIELD_BYTES);
    const name = `X-Field-${n}`;
    args.push("-H", `${name}: ${"v".repeat(Math.max(1, size - name.length - 4))}`);
    left -= FIELD_BYTES;
  }
  return args;
}
