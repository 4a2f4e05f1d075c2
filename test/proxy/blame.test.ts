/**
 * Failures that do not count against a server, requests that are retried with any method, and requests that a server
 * does not get.
 */
import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { RawOrigin } from "../support/raw-origin.ts";
import { ask, type ClientProtocol } from "./testing/ask.ts";
import { Http2Origin } from "./testing/http2-origin.ts";
import { Rig } from "./testing/rig.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

const CLIENTS: readonly ClientProtocol[] = ["HTTP/1.1", "HTTP/2", "HTTP/3"];
/** RFC 9113 §6.5.2. */
const MAX_HEADER_LIST_SIZE = 6;

let rig: Rig;
let stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  await rig.settled();
  expect(rig.logged).toEqual([]);
  await rig.stop();
  await Promise.all(stops.map((stop) => stop()));
  stops = [];
});

async function http2Origin(): Promise<Http2Origin> {
  const origin = await Http2Origin.start();
  stops.push(() => origin.stop());
  return origin;
}

async function serve(ports: readonly number[], upstream: object): Promise<void> {
  const servers = ports.map((port) => ({ address: "127.0.0.1", port, max_fails: 1, fail_timeout_ms: 60_000 }));
  rig = await Rig.start({
    quic: true,
    upstreams: [{ name: "origin", ...upstream, servers }],
    routes: [{ path_prefix: "/", upstream: "origin", retry: { max_retries: 1 } }],
  });
}

for (const client of CLIENTS) {
  test(`over ${client} a header section that is too large for the server counts against the client, and others are still served`, async () => {
    const origin = await http2Origin();
    origin.settings = [[MAX_HEADER_LIST_SIZE, 2000]];
    await serve([origin.port], { protocol: "h2c" });
    expect((await ask(rig, client, { path: "/first" })).status).toBe(200);
    const large = { path: "/large", fields: [["x-large", "a".repeat(3000)]] as const };
    expect((await ask(rig, client, large)).status).toBe(431);
    expect((await rig.counts("origin")).failures).toBe(0);
    expect((await ask(rig, client, { path: "/last" })).status).toBe(200);
    expect(origin.requests.map(({ path }) => path)).toEqual(["/first", "/last"]);
  });

  test(`over ${client} a POST that a server has not processed goes to another one, unless the body cannot be sent again`, async () => {
    const origins = [await http2Origin(), await http2Origin()];
    let left = 0;
    for (const origin of origins) {
      origin.onRequest = (request) => {
        if (left++ > 0) {
          request.response(200, "by the other one");
          return;
        }
        origin.stopListening();
        request.connection.goaway(0);
      };
    }
    await serve(
      origins.map(({ port }) => port),
      { protocol: "h2c" },
    );
    const outcome = await ask(rig, client, { method: "POST", path: "/x" });
    expect([outcome.status, outcome.body]).toEqual([200, "by the other one"]);
    expect(origins.map(({ requests }) => requests.length)).toEqual([1, 1]);
  });

  test(`over ${client} a request without a body has no Expect`, async () => {
    const origin = await RawOrigin.start();
    stops.push(() => origin.stop());
    await serve([origin.port], {});
    const fields = [["expect", "100-continue"]] as const;
    expect((await ask(rig, client, { path: "/x", fields })).status).toBe(200);
    const expectations = origin.requests.map((request) =>
      request.fields.filter(([name]) => name.toLowerCase() === "expect"),
    );
    expect(expectations).toEqual([[]]);
  });
}
