/**
 * Proxy-wasm filters with input that browsers seldom send: trailers, non-ASCII bytes, HTTP/2, gRPC, and many streams at
 * once.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { status } from "@grpc/grpc-js";
import fc from "fast-check";
import { compileProxyWasm } from "../../src/gateway/filters/module/testing/assembly-script.ts";
import { PROBE_FILTER } from "../../src/gateway/filters/proxy-wasm/testing/probe-filter.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { EchoClient, EchoServer } from "../grpc/testing/echo-service.ts";
import { type Gateway, startGateway } from "../support/gateway.ts";
import { fieldOf, Http2Client, post } from "../support/http2-client.ts";
import * as h2 from "../support/http2-frames.ts";
import { block } from "../support/http2-hpack.ts";
import { Folder } from "../support/program.ts";
import { RawClient } from "../support/raw-client.ts";
import { type OriginConnection, RawOrigin } from "../support/raw-origin.ts";
import { type Message } from "../support/message.ts";

setDefaultTimeout(patient(60_000));

const folder = new Folder();
let origin: RawOrigin;
let calls: EchoServer;
let gateway: Gateway;

function upstream(name: string, port: number) {
  return { name, servers: [{ address: "127.0.0.1", port }] };
}

beforeAll(async () => {
  const module = folder.write("probe.wasm", "");
  await Bun.write(module, await compileProxyWasm(PROBE_FILTER));
  origin = await RawOrigin.start();
  origin.response = respond;
  calls = await EchoServer.start({ name: "one" });
  gateway = await startGateway({
    upstreams: [upstream("up", origin.port), { ...upstream("calls", calls.port), protocol: "h2c" }],
    routes: [
      { path_prefix: "/", upstream: "up" },
      { path_prefix: "/test.Echo/", upstream: "calls" },
    ],
    wasm_filters: ["/", "/test.Echo/"].map((match) => ({ match, module, root_id: "probe" })),
    wasm_host_call_deadline_ms: 300,
  });
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop();
  calls.stop();
  folder.remove();
});

/** Responds with a trailer, and the length of the request's body. */
function respond({ body }: Message, connection: OriginConnection): void {
  const text = `got ${body.length}`;
  connection.send(
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n0\r\nx-end: 1\r\n\r\n`,
  );
}

function fieldsOf({ fields }: Message, name: string): string[] {
  return fields.filter(([field]) => field.toLowerCase() === name).map(([, value]) => value);
}

test("trailers of requests and responses run through a filter", async () => {
  const client = await RawClient.open(gateway.port);
  client.send(
    "POST /trailers HTTP/1.1\r\nHost: a\r\nx-do: trailers r-trailers\r\nTransfer-Encoding: chunked\r\nTrailer: x-sum\r\n\r\n3\r\nabc\r\n0\r\nx-sum: 7\r\n\r\n",
  );
  const { trailers } = await client.finalResponse("POST");
  const asked = origin.requests.at(-1);
  expect(asked?.trailers.map(([name, value]) => `${name.toLowerCase()}: ${value}`)).toEqual(["x-sum: 7", "x-added: 1"]);
  expect(trailers.map(([name, value]) => `${name.toLowerCase()}: ${value}`)).toEqual(["x-end: 1", "x-added: 1"]);
  client.destroy();
});

test("a value passes byte for byte, whether or not it is UTF-8", async () => {
  const client = await RawClient.open(gateway.port);
  client.send("GET /bytes HTTP/1.1\r\nHost: a\r\nx-do: pairs add\r\nx-latin: a\xff\r\nx-utf: \xc3\xa9\r\n\r\n");
  await client.finalResponse();
  const asked = origin.requests.at(-1);
  if (asked === undefined) throw new Error("nothing came");
  expect([fieldsOf(asked, "x-latin"), fieldsOf(asked, "x-utf"), fieldsOf(asked, "x-added")]).toEqual([
    ["a\xff"],
    ["\xc3\xa9"],
    ["1"],
  ]);
  client.send("GET /bytes HTTP/1.1\r\nHost: a\r\nx-do: list\r\nx-latin: a\xff\r\n\r\n");
  expect((await client.finalResponse()).body).toContain("x-latin=a\xc3\xbf");
  client.destroy();
});

test("over HTTP/2, a filter buffers and refuses bodies, and appends to responses", async () => {
  const client = await Http2Client.ready(gateway.port);
  client.send(post(1, "/h2", [["x-do", "body-whole r-add"]]), h2.frame(h2.DATA, 0, 1, Buffer.from("ab")));
  client.send(h2.frame(h2.DATA, h2.END_STREAM, 1, Buffer.from("cd")));
  const held = await client.response(1);
  expect([held.status, fieldOf(held.fields, "x-seen"), held.body.toString()]).toEqual([200, "200 /h2", "got 5"]);
  client.send(post(3, "/h2", [["x-do", "body-deny"]]), h2.frame(h2.DATA, 0, 3, Buffer.from("ab")));
  expect((await client.response(3)).status).toBe(403);
  client.send(post(5, "/h2", [["x-do", "trailers"]]), h2.frame(h2.DATA, 0, 5, Buffer.from("ab")));
  client.send(h2.frame(h2.HEADERS, h2.END_BOTH, 5, block([["x-sum", "1"]])));
  expect((await client.response(5)).status).toBe(200);
  expect(origin.requests.at(-1)?.trailers.length).toBe(2);
  client.destroy();
});

test("gRPC calls run through a filter as streams, and a refused call has the filter's status", async () => {
  const client = new EchoClient(gateway.port);
  const chat = client.chat({ metadata: { "x-do": "add r-trailers" } });
  chat.call.write(Buffer.from("a"));
  await until(() => chat.messages.length === 1);
  chat.call.end(Buffer.from("b"));
  expect((await chat.outcome).messages.map(String)).toEqual(["a", "b"]);
  expect((await client.unary("c", { metadata: { "x-do": "nothing" } }).outcome).code).toBe(status.OK);
  const refused = await client.unary("c", { metadata: { "x-do": "deny-grpc" } }).outcome;
  expect([refused.code, refused.details]).toEqual([status.PERMISSION_DENIED, "not you"]);
  client.close();
});

/** The actions that a request can ask of the filter, and the possible statuses. */
const WORDS: Readonly<Record<string, readonly number[]>> = {
  nothing: [200],
  "add r-add": [200],
  // On a busy machine the deadline can come before the tick.
  park: [200, 500],
  "go-on-at-once": [200],
  "body-whole": [200],
  "body-edges r-body": [200],
  "body-park r-status": [418, 500],
  deny: [403],
  "bad-field": [500],
  "body-deny": [403],
  "r-deny": [502],
  "r-body-deny": [502],
  hang: [500],
  "r-hang": [500],
};
const REFUSED = new Set(["deny", "bad-field", "body-deny", "hang"]);

test("each of many simultaneous streams has one response, and no refused stream passes", async () => {
  const one = fc.record({
    does: fc.constantFrom(...Object.keys(WORDS)),
    size: fc.integer({ min: 1, max: 40_000 }),
    leavesAfterMs: fc.option(fc.integer({ min: 0, max: 20 }), { freq: 4 }),
  });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: 20, maxLength: 40 }), async (streams) => {
      const prefix = `/many-${run++}`;
      await Promise.all(
        streams.map(async ({ does, size, leavesAfterMs }, i) => {
          const path = `${prefix}/${REFUSED.has(does) ? "refused" : "passed"}-${i}`;
          const signal = leavesAfterMs === null ? {} : { signal: AbortSignal.timeout(leavesAfterMs) };
          const request = fetch(`http://127.0.0.1:${gateway.port}${path}`, {
            method: "POST",
            headers: { "x-do": does },
            body: "x".repeat(size),
            ...signal,
          });
          const found = await request.then(
            async (response) => {
              await response.arrayBuffer();
              return response.status;
            },
            () => "left",
          );
          if (leavesAfterMs === null) expect([does, WORDS[does]]).toEqual([does, expect.arrayContaining([found])]);
        }),
      );
      expect(origin.requests.filter(({ startLine }) => startLine.includes(`${prefix}/refused`))).toEqual([]);
    }),
    { numRuns: 5, endOnFailure: true },
  );
  await until(async () => {
    const response = await fetch(`http://127.0.0.1:${gateway.port}/after`, { headers: { "x-do": "nothing" } });
    return response.status === 200;
  });
  expect(gateway.output()).not.toContain("requests fail");
});
