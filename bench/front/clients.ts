/** The clients that drive the front door. */
import { type Children } from "../proxy/children.ts";
import { type Load, parseWrk } from "../proxy/wrk.ts";
import { type FrontCase } from "./cases.ts";

/** Reads what h2load prints; an Error where it printed no result. It tells no percentiles. */
export function parseH2load(text: string): Load {
  const rate = /^finished in [\d.]+\w+, ([\d.]+) req\/s/m.exec(text);
  const requests = /(\d+) succeeded, (\d+) failed, (\d+) errored/.exec(text);
  if (requests === null || rate === null) throw new Error(`Cannot read the answer of h2load: ${JSON.stringify(text)}`);
  return {
    requests: Number(requests[1]),
    requestsPerSecond: Number(rate[1]),
    p50: Number.NaN,
    p99: Number.NaN,
    non2xx: Number(requests[2]),
    socketErrors: Number(requests[3]),
  };
}

/** Drives one server for `seconds`. */
export async function runClient(children: Children, load: FrontCase, port: number, seconds: number): Promise<Load> {
  const url = `${load.scheme}://127.0.0.1:${port}${load.path}`;
  const isH2load = load.client === "h2load";
  const wrk = ["wrk", "-t1", `-c${load.connections}`, `-d${seconds}s`, "--latency"];
  const close = load.client === "wrk" ? [] : ["-H", "Connection: close"];
  const argv = isH2load
    ? ["h2load", "-t1", `-c${load.connections}`, `-m${load.streams}`, `-D${seconds}`, url]
    : [...wrk, ...close, url];
  const child = children.spawn({ name: argv[0] ?? "", argv });
  if ((await child.done) !== 0) throw new Error(`Cannot drive "${url}": ${child.output().trim()}`);
  return isH2load ? parseH2load(child.output()) : parseWrk(child.output());
}
