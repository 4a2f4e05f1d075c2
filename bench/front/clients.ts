/** The clients that drive the front door. */
import { type Children } from "../support/children.ts";
import { runH2load } from "../support/h2load.ts";
import { type Load, runWrk } from "../support/wrk.ts";
import { type FrontCase } from "./cases.ts";

/** Requests of ngtcp2's client for each second of load: it counts requests, not time. */
const H3_REQUESTS_PER_SECOND = 20_000;

/** Drives an HTTP/3 server over one connection with as many open streams as the server allows. */
async function runNgtcp2(children: Children, load: FrontCase, port: number, seconds: number): Promise<Load> {
  const requests = seconds * H3_REQUESTS_PER_SECOND;
  const quiet = ["-q", "--no-quic-dump", "--no-http-dump", "--exit-on-all-streams-close", "-n", String(requests)];
  // Caddy knows its site only by this name.
  const argv = ["gtlsclient", ...quiet, "127.0.0.1", String(port), `https://127.0.0.1:${port}${load.path}`];
  const began = performance.now();
  const child = children.spawn({ name: "gtlsclient", argv });
  if ((await child.done) !== 0) throw new Error(`Cannot drive HTTP/3 on port ${port}: ${child.output().trim()}`);
  const took = (performance.now() - began) / 1000;
  const none = { p50: Number.NaN, p99: Number.NaN, non2xx: 0, socketErrors: 0 };
  return { requests, requestsPerSecond: requests / took, ...none };
}

/** Drives one server for `seconds`. */
export async function runClient(children: Children, load: FrontCase, port: number, seconds: number): Promise<Load> {
  if (load.client === "gtlsclient") return await runNgtcp2(children, load, port, seconds);
  const url = `${load.scheme}://127.0.0.1:${port}${load.path}`;
  const { connections, streams } = load;
  if (load.client !== "h2load") {
    const more = load.client === "wrk" ? [] : ["-H", "Connection: close"];
    return await runWrk(children, url, { connections, seconds, isMixed: true, more });
  }
  return await runH2load(children, url, { connections, streams, seconds, isMixed: true });
}
