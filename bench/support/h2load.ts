/** Runs h2load once, and reads its results. */
import { join } from "node:path";
import { type Children } from "./children.ts";
import { type Load } from "./wrk.ts";

export interface H2load extends Load {
  /** Body bytes of all responses together, without framing. */
  readonly bodyBytes: number;
}

/** Reads the output of h2load. Throws an Error if it has no result. h2load prints no percentiles. */
export function parseH2load(text: string): H2load {
  const rate = /^finished in [\d.]+\w+, ([\d.]+) req\/s/m.exec(text);
  const requests = /(\d+) succeeded, (\d+) failed, (\d+) errored/.exec(text);
  if (requests === null || rate === null)
    throw new Error(`Cannot read the response of h2load: ${JSON.stringify(text)}`);
  return {
    requests: Number(requests[1]),
    requestsPerSecond: Number(rate[1]),
    p50: Number.NaN,
    p99: Number.NaN,
    non2xx: Number(requests[2]),
    socketErrors: Number(requests[3]),
    bodyBytes: Number(/\((\d+)\) data$/m.exec(text)?.[1] ?? Number.NaN),
  };
}

export interface H2Request {
  readonly connections: number;
  /** Concurrent requests on each connection. */
  readonly streams: number;
  readonly seconds: number;
  /** The requests differ in their query: the tool sends the same fields with all. */
  readonly isMixed?: boolean;
  /** Further arguments. */
  readonly more?: readonly string[];
}

const MIXED_REQUESTS = 997;

/** Drives `url` over HTTP/2 from one thread. */
export async function runH2load(children: Children, url: string, request: H2Request): Promise<H2load> {
  const { connections, streams, seconds, isMixed = false, more = [] } = request;
  const list = join(children.folder, "urls");
  if (isMixed) await Bun.write(list, Array.from({ length: MIXED_REQUESTS }, (_, n) => `${url}?page=${n}\n`).join(""));
  const target = isMixed ? ["-i", list] : [url];
  const argv = ["h2load", "-t1", `-c${connections}`, `-m${streams}`, `-D${seconds}`, ...more, ...target];
  const child = children.spawn({ name: "h2load", argv });
  if ((await child.done) !== 0) throw new Error(`Cannot run h2load against "${url}": ${child.output().trim()}`);
  return parseH2load(child.output());
}
