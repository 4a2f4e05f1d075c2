/** Runs wrk once, and reads its results. */
import { join } from "node:path";
import { type Children } from "./children.ts";

export interface Load {
  readonly requests: number;
  readonly requestsPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly non2xx: number;
  readonly socketErrors: number;
}

/** The errors in the responses; undefined without errors. */
export function errorOf({ requests, non2xx, socketErrors }: Load): string | undefined {
  if (non2xx > 0 || socketErrors > 0) return `${non2xx} responses failed, ${socketErrors} socket errors`;
  return requests === 0 ? "not one response" : undefined;
}

const UNIT_MS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

function milliseconds(text: string, percent: string): number {
  const match = new RegExp(`^\\s+${percent}%\\s+([\\d.]+)(us|ms|s|m)\\s*$`, "m").exec(text);
  return match === null ? Number.NaN : Number(match[1]) * (UNIT_MS[match[2] ?? ""] ?? Number.NaN);
}

/** Reads the output of `wrk --latency`. Throws an Error if it has no result. */
export function parseWrk(text: string): Load {
  const requests = /^\s+(\d+) requests in /m.exec(text);
  const rate = /^Requests\/sec:\s+([\d.]+)/m.exec(text);
  if (requests === null || rate === null) throw new Error(`Cannot read the response of wrk: ${JSON.stringify(text)}`);
  const errors = /^\s+Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/m.exec(text);
  return {
    requests: Number(requests[1]),
    requestsPerSecond: Number(rate[1]),
    p50: milliseconds(text, "50"),
    p99: milliseconds(text, "99"),
    non2xx: Number(/^\s+Non-2xx or 3xx responses: (\d+)/m.exec(text)?.[1] ?? 0),
    socketErrors: errors === null ? 0 : errors.slice(1).reduce((sum, count) => sum + Number(count), 0),
  };
}

/** The script of wrk that makes requests which differ in query, user agent and cookie, as those of many clients do. */
const MIXED_REQUESTS = join(import.meta.dir, "mixed-requests.lua");

interface WrkLoad {
  readonly connections: number;
  readonly seconds: number;
  /** The requests differ. */
  readonly isMixed?: boolean;
  /** Further arguments. */
  readonly more?: readonly string[];
}

/** Drives `url` from one thread, which is faster than each of the programs. */
export async function runWrk(children: Children, url: string, load: WrkLoad): Promise<Load> {
  const { connections, seconds, isMixed = false, more = [] } = load;
  const script = isMixed ? ["-s", MIXED_REQUESTS] : [];
  const argv = ["wrk", "-t1", `-c${connections}`, `-d${seconds}s`, "--latency", ...script, ...more, url];
  const child = children.spawn({ name: "wrk", argv });
  if ((await child.done) !== 0) throw new Error(`Cannot run wrk against "${url}": ${child.output().trim()}`);
  return parseWrk(child.output());
}
