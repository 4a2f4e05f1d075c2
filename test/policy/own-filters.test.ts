/** Filters for the Turnpike ABI in the chain, over every protocol. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { onRequest, op } from "../../src/gateway/filters/module/testing/assembler.ts";
import { calls, callsOf, ownModule } from "../../src/gateway/filters/own-abi/testing/own-module.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { PROTOCOLS, type Request } from "./protocols.ts";
import { FilterRig, mustBe } from "./testing/filter-rig.ts";

setDefaultTimeout(patient(30_000));

let rig: FilterRig;

beforeAll(async () => {
  rig = await FilterRig.start();
});

beforeEach(() => rig.reset());
afterEach(() => rig.verify());
afterAll(() => rig.stop());

/** Allows requests whose body has this length, and of which it sees this number of bytes. */
function bodyGuard(length: number, seen: number): Uint8Array {
  const code = [...mustBe(length, 0, []), ...mustBe(seen, 1, [0, 0, 65_536]), ...op.i32(0)];
  return ownModule(["body_len", "read_body"], { on_request: code });
}

const ALLOWS = onRequest(op.i32(0));
const REJECTS = ownModule(
  ["set_response_header", "respond"],
  { on_request: [...callsOf(0, 0, 5, 5, 2), ...callsOf(1, 429, 7, 6), ...op.i32(1)] },
  "X-Whynoslower",
);
const PARKS = ownModule(
  ["host_call", "read_call_result"],
  {
    on_request: [...calls(0, 4), ...op.drop, ...op.i32(3)],
    // The reply is `done: boot`, 0x1e, the exit code and a line break.
    on_resume: [...mustBe(13, 1, [100, 50]), ...op.i32(0)],
  },
  "boot",
);
/** Stores the field x-n of the request in its memory, and adds it to the response. */
const REMEMBERS = ownModule(
  ["get_header", "set_response_header"],
  {
    on_request: [...calls(0, 3, 100, 4), ...op.drop, ...op.i32(0)],
    on_response: [...callsOf(1, 3, 5, 100, 4), ...op.i32(0)],
  },
  "x-nx-got",
);

function sandbox(response: typeof rig.sandbox.response): void {
  rig.sandbox.response = response;
}

const fields = (count: number) => Array.from({ length: count }, (_, i) => [`x-${i}`, "1"] as const);
const sends = (bytes: number): Request => ({ method: "POST", body: Buffer.alloc(bytes) });

describe.each(PROTOCOLS)("over %s", (protocol) => {
  const post = (length: number, trailers?: readonly (readonly [string, string])[]) =>
    rig.chain.clients.request(protocol, {
      method: "POST",
      path: "/x",
      body: Buffer.alloc(length, "b"),
      ...(trailers === undefined ? {} : { trailers }),
    });

  test("a filter lets pass, rejects with its response, or with 403", async () => {
    await rig.use([ALLOWS]);
    expect((await rig.chain.clients.request(protocol, { path: "/a?b" })).text).toBe("GET /a?b");
    await rig.use([REJECTS]);
    const told = await rig.chain.clients.request(protocol);
    expect([told.status, told.text, told.header("x-why"), told.header("content-type")]).toEqual([
      429,
      "slower",
      "no",
      "text/plain; charset=utf-8",
    ]);
    const head = await rig.chain.clients.request(protocol, { method: "HEAD" });
    expect([head.status, head.text, head.header("content-length")]).toEqual([429, "", "6"]);
    expect(rig.origin.requests.length).toBe(1);
  });

  test("without respond it is 403, as problem+json, with the staged fields", async () => {
    await rig.use([
      ownModule(["set_response_header"], { on_request: [...calls(0, 5, 5, 2), ...op.i32(1)] }, "X-Whyno"),
    ]);
    const told = await rig.chain.clients.request(protocol, { method: "POST", body: "unread" });
    expect([told.status, told.header("x-why")]).toEqual([403, "no"]);
    expect(told.json).toMatchObject({ type: "urn:turnpike:error:forbidden" });
  });

  test("a filter sees the true length of a body, which is forwarded completely", async () => {
    for (const [length, trailers] of [[5], [65_536], [100_000], [70_000, [["x-t", "1"]]]] as const) {
      await rig.use([bodyGuard(length, Math.min(length, 65_536))]);
      const told = await post(length, trailers);
      expect([told.status, told.text.length]).toEqual([200, "POST /x ".length + length]);
    }
  });

  test("a filter parks, and the request continues when its call returns", async () => {
    await rig.use([PARKS]);
    const told = await post(1000);
    expect([told.status, told.text.length]).toEqual([200, 1008]);
    expect(rig.runtime.counted).toEqual(["request park", "resume allow"]);
  });

  test("a client that leaves frees the instance, and its command is forgotten", async () => {
    rig.sandbox.response = () => undefined;
    await rig.use([PARKS]);
    const before = rig.sandbox.lines.length;
    const leave = await rig.chain.clients.open(protocol, "/x");
    await rig.sandbox.received(before + 1);
    expect(rig.runtime.gauge).toMatchObject({ pinned: 1, parked: 1 });
    leave();
    await until(() => rig.runtime.gauge.pinned === 0 && rig.runtime.gauge.parked === 0);
    expect(rig.runtime.counted).toEqual(["request park", "resume gone"]);
    expect(rig.origin.requests).toEqual([]);
    await rig.reconnect();
  });

  test("values that on_request has read are there in on_response, with any number of simultaneous requests", async () => {
    await rig.use([REMEMBERS]);
    const numbers = Array.from({ length: 20 }, (_, i) => String(1000 + i));
    const replies = await Promise.all(
      numbers.map((n) => rig.chain.clients.request(protocol, { headers: { "x-n": n } })),
    );
    expect(replies.map((told) => told.header("x-got"))).toEqual(numbers);
  });

  test("a park beyond the instances, the capacity or the size is refused, and the filter continues", async () => {
    sandbox(() => undefined);
    await rig.use([PARKS], { instances: 2 });
    const leaves = [await rig.chain.clients.open(protocol, "/x"), await rig.chain.clients.open(protocol, "/x")];
    await until(() => rig.runtime.gauge.parked === 2);
    const busy = await post(10);
    expect([busy.status, busy.header("retry-after"), busy.json]).toEqual([
      503,
      "1",
      expect.objectContaining({ type: "urn:turnpike:error:overloaded" }),
    ]);
    leaves[0]?.();
    await until(() => rig.runtime.gauge.parked === 1);
    rig.runtime.parks.capacity = 1;
    expect((await rig.chain.clients.request(protocol)).status).toBe(503);
    rig.runtime.parks.capacity = 64;
    leaves[1]?.();
    await rig.reconnect();
  });

  test("a request of more than 64 KiB or 128 fields is not parked", async () => {
    await rig.use([PARKS], { instances: 4 });
    const ask = async (request: Request): Promise<number> =>
      (await rig.chain.clients.request(protocol, request)).status;
    const asked = [sends(65_000), sends(65_600), { ...sends(700_000), trailers: fields(1) }, { headers: fields(120) }];
    expect(await Promise.all(asked.map(ask))).toEqual([200, 503, 503, 200]);
  });

  test("a parked request gets 500 at the deadline, without a control socket, and if the socket breaks", async () => {
    sandbox(() => undefined);
    await rig.use([PARKS]);
    rig.runtime.deadlineMs = 20;
    const late = await rig.chain.clients.request(protocol);
    expect([late.status, late.json]).toEqual([
      500,
      expect.objectContaining({ type: "urn:turnpike:error:filter-failed" }),
    ]);
    rig.runtime.deadlineMs = 60_000;
    rig.runtime.link = undefined;
    expect((await rig.chain.clients.request(protocol)).status).toBe(500);
    rig.runtime.link = rig.link;
    await rig.reconnect();
    const cut = rig.chain.clients.request(protocol);
    await until(() => rig.runtime.gauge.parked === 1);
    await rig.reconnect();
    expect((await cut).status).toBe(500);
    expect(rig.runtime.counted.filter((word) => word !== "request park")).toEqual([
      "resume deadline",
      "resume control",
      "resume control",
    ]);
    expect(rig.origin.requests).toEqual([]);
  });
});
