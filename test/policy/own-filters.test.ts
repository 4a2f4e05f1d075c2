/** Filters of the own ABI in the chain, over every protocol. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { ControlTransport } from "../../src/gateway/filters/control/control-transport.ts";
import { reply, type Sandbox, startSandbox } from "../../src/gateway/filters/control/testing/sandbox.ts";
import { createFilterPolicy } from "../../src/gateway/filters/filter-policy.ts";
import { onRequest, op } from "../../src/gateway/filters/module/testing/assembler.ts";
import { loaded } from "../../src/gateway/filters/module/testing/metered.ts";
import { calls, callsOf, ownModule } from "../../src/gateway/filters/own-abi/testing/own-module.ts";
import { OwnFilter } from "../../src/gateway/filters/own-filter.ts";
import { RouteFilters } from "../../src/gateway/filters/route-filters.ts";
import { type FilterSettings } from "../../src/gateway/filters/runtime.ts";
import { type TestRuntime, testRuntime, testSettings } from "../../src/gateway/filters/testing/test-runtime.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { PROTOCOLS } from "./protocols.ts";
import { type ChainRig, startChainRig } from "./testing/chain-rig.ts";

setDefaultTimeout(patient(30_000));

let origin: RawOrigin;
let rig: ChainRig;
let sandbox: Sandbox;
let link: ControlTransport;
let runtime: TestRuntime;
let filters: OwnFilter[] = [];

beforeAll(async () => {
  origin = await RawOrigin.start();
  rig = await startChainRig(origin);
  sandbox = await startSandbox();
  link = new ControlTransport({ path: sandbox.path, connections: 1, commandMs: 60_000, log() {}, onReady() {} });
  await until(() => link.isReady);
});

beforeEach(() => {
  origin.reset();
  sandbox.answer = (line) => reply(`done: ${line}`);
  runtime = testRuntime();
  runtime.link = link;
  filters = [];
});

/** Whatever a test does: no instance, park or memory stays taken, and nothing is thrown. */
afterEach(async () => {
  await until(() => filters.every(({ instances }) => instances.pinned === 0), undefined, "all instances are free");
  for (const filter of filters) filter.close();
  expect([runtime.gauge, runtime.memory.taken]).toEqual([{ instances: 0, pinned: 0, parked: 0 }, 0]);
  expect([runtime.faults, rig.faults, origin.faults]).toEqual([[], [], []]);
  runtime.wheel.close();
});

afterAll(async () => {
  link.close();
  await sandbox.close();
  await rig.stop();
  await origin.stop();
});

/** Puts filters of these modules before the origin. */
async function use(modules: readonly Uint8Array[], settings: Partial<FilterSettings> = {}): Promise<void> {
  for (const filter of filters.splice(0)) filter.close();
  for (const module of modules) {
    filters.push(new OwnFilter(await loaded(module), testSettings(settings), runtime));
  }
  rig.policies = [createFilterPolicy(new RouteFilters(filters))];
}

const NE = [0x47];

/** Rejects with 403 unless function `index`, called with `parameters`, returns `value`. */
function mustBe(value: number, index: number, ...parameters: readonly number[]): number[] {
  const rejects = [...op.if, ...op.i32(1), ...op.return, ...op.end];
  return [...callsOf(index, ...parameters), ...op.i32(value), ...NE, ...rejects];
}

/** Lets requests pass whose body has this length, and of which it sees so many bytes. */
function bodyGuard(length: number, seen: number): Uint8Array {
  const code = [...mustBe(length, 0), ...mustBe(seen, 1, 0, 0, 65_536), ...op.i32(0)];
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
    on_resume: [...mustBe(13, 1, 100, 50), ...op.i32(0)],
  },
  "boot",
);
/** Keeps the field x-n of the request in its memory, and puts it into the response. */
const REMEMBERS = ownModule(
  ["get_header", "set_response_header"],
  {
    on_request: [...calls(0, 3, 100, 4), ...op.drop, ...op.i32(0)],
    on_response: [...callsOf(1, 3, 5, 100, 4), ...op.i32(0)],
  },
  "x-nx-got",
);

describe.each(PROTOCOLS)("over %s", (protocol) => {
  const post = (length: number, trailers?: readonly (readonly [string, string])[]) =>
    rig.clients.request(protocol, {
      method: "POST",
      path: "/x",
      body: Buffer.alloc(length, "b"),
      ...(trailers === undefined ? {} : { trailers }),
    });

  test("a filter lets pass, rejects with its response, or with 403", async () => {
    await use([ALLOWS]);
    expect((await rig.clients.request(protocol, { path: "/a?b" })).text).toBe("GET /a?b");
    await use([REJECTS]);
    const told = await rig.clients.request(protocol);
    expect([told.status, told.text, told.header("x-why"), told.header("content-type")]).toEqual([
      429,
      "slower",
      "no",
      "text/plain; charset=utf-8",
    ]);
    const head = await rig.clients.request(protocol, { method: "HEAD" });
    expect([head.status, head.text, head.header("content-length")]).toEqual([429, "", "6"]);
    expect(origin.requests.length).toBe(1);
  });

  test("without respond it is 403, as problem+json, with the staged fields", async () => {
    await use([ownModule(["set_response_header"], { on_request: [...calls(0, 5, 5, 2), ...op.i32(1)] }, "X-Whyno")]);
    const told = await rig.clients.request(protocol, { method: "POST", body: "unread" });
    expect([told.status, told.header("x-why")]).toEqual([403, "no"]);
    expect(told.json).toMatchObject({ type: "urn:turnpike:error:forbidden" });
  });

  test("a body is seen with its true length, and goes on whole", async () => {
    for (const [length, trailers] of [[5], [65_536], [100_000], [70_000, [["x-t", "1"]]]] as const) {
      await use([bodyGuard(length, Math.min(length, 65_536))]);
      const told = await post(length, trailers);
      expect([told.status, told.text.length]).toEqual([200, "POST /x ".length + length]);
    }
  });

  test("a filter parks, and the request goes on when its call is answered", async () => {
    await use([PARKS]);
    const told = await post(1000);
    expect([told.status, told.text.length]).toEqual([200, 1008]);
    expect(runtime.counted).toEqual(["request park", "resume allow"]);
  });

  test("a client that leaves frees the instance, and its command is forgotten", async () => {
    sandbox.answer = () => undefined;
    await use([PARKS]);
    const before = sandbox.lines.length;
    const leave = await rig.clients.open(protocol, "/x");
    await sandbox.received(before + 1);
    expect(runtime.gauge).toMatchObject({ pinned: 1, parked: 1 });
    leave();
    await until(() => runtime.gauge.pinned === 0 && runtime.gauge.parked === 0);
    expect(runtime.counted).toEqual(["request park", "resume gone"]);
    expect(origin.requests).toEqual([]);
    sandbox.cut();
    await until(() => !link.isReady);
    await until(() => link.isReady);
  });

  test("what on_request has seen is there in on_response, however many requests there are at once", async () => {
    await use([REMEMBERS]);
    const numbers = Array.from({ length: 20 }, (_, i) => String(1000 + i));
    const replies = await Promise.all(numbers.map((n) => rig.clients.request(protocol, { headers: { "x-n": n } })));
    expect(replies.map((told) => told.header("x-got"))).toEqual(numbers);
  });
});
