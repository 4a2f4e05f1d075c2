import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Gateway, startGateway } from "../../../../test/support/gateway.ts";
import { op } from "../module/testing/assembler.ts";
import { call, type Filter, moduleOf, RESULTS, TEXTS } from "./testing/proxy-module.ts";
import { patient } from "../../../lib/testing/patience.ts";

const LOOP = [...op.loop, ...op.br(0), ...op.end, ...op.i32(0)];
/** The number of contexts so far. */
const COUNT = [...op.i32(RESULTS), ...op.i32Load];
const GET = ["proxy_get_header_map_value", 5] as const;
const LOCAL = ["proxy_send_local_response", 8] as const;

/** Filters that fail in a request's headers, with the reason in the log. */
const BREAKING: Readonly<Record<string, Filter & { readonly reason?: string }>> = {
  "memory that the allocator does not have": {
    imports: [GET],
    text: ":path",
    allocated: op.i32(0),
    callbacks: { proxy_on_request_headers: [...call(0, 0, TEXTS, 5, RESULTS, RESULTS + 4), ...op.drop, ...op.i32(0)] },
    reason: "has no memory for",
  },
  "an allocator that points outside of the memory": {
    imports: [GET],
    text: ":path",
    allocated: op.i32(-16),
    callbacks: { proxy_on_request_headers: [...call(0, 0, TEXTS, 5, RESULTS, RESULTS + 4), ...op.drop, ...op.i32(0)] },
    reason: "bytes at 4294967280",
  },
  "an allocator that loops": {
    imports: [GET],
    text: ":path",
    allocated: LOOP,
    callbacks: { proxy_on_request_headers: call(0, 0, TEXTS, 5, RESULTS, RESULTS + 4) },
    reason: "ran out of fuel",
  },
  "a name outside of the memory": {
    imports: [GET],
    callbacks: { proxy_on_request_headers: call(0, 0, -8, 16, RESULTS, RESULTS + 4) },
    reason: "bytes at 4294967288",
  },
  "a result outside of the memory": {
    imports: [["proxy_get_log_level", 1]],
    callbacks: { proxy_on_request_headers: call(0, -2) },
    reason: "bytes at 4294967294",
  },
  "a loop": { callbacks: { proxy_on_request_headers: LOOP }, reason: "ran out of fuel" },
  "a loop of calls to the gateway": {
    imports: [["proxy_done", 0]],
    callbacks: { proxy_on_request_headers: [...op.loop, ...call(0), ...op.drop, ...op.br(0), ...op.end, ...op.i32(0)] },
    reason: "ran out of fuel",
  },
  "a list of fields with false lengths": {
    imports: [["proxy_set_header_map_pairs", 3]],
    text: "\x01\0\0\0\xff\xff\xff\x7f\xff\xff\xff\x7f",
    callbacks: {
      proxy_on_request_headers: [
        ...call(0, 0, TEXTS, 40),
        ...op.i32(2),
        ...op.i32Sub,
        ...op.if,
        ...op.unreachable,
        ...op.end,
        ...op.unreachable,
      ],
    },
  },
  "a trap while the context is created": {
    // Not for the context that the gateway makes when it loads the filter, nor for the plugin's own.
    callbacks: {
      proxy_on_context_create: [
        [...COUNT, ...op.i32(2), 0x4e, ...op.if, ...op.unreachable, ...op.end],
        [...op.i32(RESULTS), ...COUNT, ...op.i32(1), ...op.i32Add, ...op.i32Store],
        op.i32(0),
      ].flat(),
    },
  },
};

/** Harmless filters, and the status that the client receives. */
const HARMLESS: Readonly<Record<string, Filter & { readonly status: number }>> = {
  "a local response with an invalid status": {
    imports: [LOCAL],
    callbacks: { proxy_on_request_headers: call(0, 7, 0, 0, 0, 0, 0, 0, -1) },
    status: 500,
  },
  "a local response with a body": {
    imports: [LOCAL],
    text: "body",
    callbacks: { proxy_on_request_headers: call(0, 429, 0, 0, TEXTS, 4, 0, 0, -1) },
    status: 429,
  },
  "a context that is not there": {
    imports: [["proxy_set_effective_context", 1]],
    callbacks: { proxy_on_request_headers: [...call(0, 77), ...op.i32(2), ...op.i32Sub] },
    status: 200,
  },
  "an absent list of fields": {
    imports: [GET],
    callbacks: {
      proxy_on_request_headers: [...call(0, 3, TEXTS, 5, RESULTS, RESULTS + 4), ...op.i32(2), ...op.i32Sub],
    },
    status: 200,
  },
  "a range of a buffer that ends beyond all addresses": {
    imports: [["proxy_get_buffer_bytes", 5]],
    callbacks: { proxy_on_request_headers: [...call(0, 7, 2, -1, RESULTS, RESULTS + 4), ...op.i32(2), ...op.i32Sub] },
    status: 200,
  },
  "a range of a buffer that ends at the last address": {
    imports: [["proxy_get_buffer_bytes", 5]],
    callbacks: { proxy_on_request_headers: call(0, 7, 1, -2, RESULTS, RESULTS + 4) },
    status: 200,
  },
  "no callback at all": { callbacks: {}, status: 200 },
  "a stream that is done later": {
    imports: [["proxy_done", 0]],
    callbacks: { proxy_on_done: op.i32(0), proxy_on_tick: op.i32(0) },
    status: 200,
  },
};

let folder = "";
let gateway: Gateway;
let upstream: Bun.Server<undefined>;
const reached: string[] = [];

function path(name: string): string {
  return `/${name.replaceAll(" ", "-")}/`;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnpike-hostile-"));
  upstream = Bun.serve({
    port: 0,
    fetch({ url }) {
      reached.push(new URL(url).pathname);
      return new Response("from upstream");
    },
  });
  const all = { ...BREAKING, ...HARMLESS };
  const entries = await Promise.all(
    Object.entries(all).map(async ([name, filter]) => {
      const module = join(folder, `${path(name).replaceAll("/", "")}.wasm`);
      await Bun.write(module, moduleOf(filter));
      return { match: path(name), module };
    }),
  );
  gateway = await startGateway({
    upstreams: [{ name: "up", servers: [{ address: "127.0.0.1", port: upstream.port }] }],
    routes: [...Object.keys(all).map(path), "/plain/"].map((path_prefix) => ({ path_prefix, upstream: "up" })),
    wasm_filters: entries,
  });
}, patient(60_000));

afterAll(async () => {
  await gateway.stop();
  await upstream.stop(true);
  await rm(folder, { recursive: true });
});

function get(where: string): Promise<Response> {
  return fetch(`http://127.0.0.1:${gateway.port}${where}`);
}

for (const [name, { reason = "" }] of Object.entries(BREAKING)) {
  test(`${name} ends the request, which does not reach the upstream`, async () => {
    const responses = await Promise.all([get(path(name)), get("/plain/a"), get(path(name)), get("/plain/b")]);
    expect(responses.map(({ status }) => status)).toEqual([500, 200, 500, 200]);
    expect(reached).not.toContain(path(name));
    expect(gateway.output()).toContain(reason);
  });
}

for (const [name, { status }] of Object.entries(HARMLESS)) {
  test(`${name}: ${status}`, async () => {
    const responses = await Promise.all(Array.from({ length: 5 }, () => get(path(name))));
    expect(responses.map((response) => response.status)).toEqual([status, status, status, status, status]);
  });
}
