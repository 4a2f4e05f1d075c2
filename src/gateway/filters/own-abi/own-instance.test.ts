import { expect, test } from "bun:test";
import { messageOf } from "../../../lib/caught.ts";
import { assemble, I32, onRequest, op } from "../module/testing/assembler.ts";
import { DEFAULT_FUEL, loaded } from "../module/testing/metered.ts";
import { type RequestOutcome } from "./outcome.ts";
import { OwnInstance } from "./own-instance.ts";
import { OWN_IMPORTS, type OwnImport } from "../module/own-signatures.ts";
import { calls, callsOf, ownImports, ownModule } from "./testing/own-module.ts";
import { type RequestView, type ResponseView } from "./views.ts";

const BODY_VIEW_BYTES = 65_536;

const REQUEST: RequestView = {
  method: "POST",
  path: "/a?b=c",
  fields: "Host: example.com\r\nX-Key: first\r\nx-key: second\r\nEmpty:\r\n",
  bodyLength: 100_000,
  body: new Uint8Array(BODY_VIEW_BYTES).fill(0x62),
};
const RESPONSE: ResponseView = { status: 201, fields: "X-Up: yes\r\n", bodyLength: 5, body: Buffer.from("hello") };

async function instance(module: Uint8Array, fuel = DEFAULT_FUEL): Promise<{ filter: OwnInstance; lines: string[] }> {
  const lines: string[] = [];
  return { filter: new OwnInstance(await loaded(module), { fuel, log: (line) => lines.push(line) }), lines };
}

async function outcome(module: Uint8Array, request = REQUEST): Promise<RequestOutcome> {
  return (await instance(module)).filter.onRequest(request);
}

/** The result of function 0, read from the status that the code passes to `respond`, which is function 1. */
async function resultOf(name: OwnImport, parameters: readonly number[], memoryText = ""): Promise<number> {
  const code = [...op.i32(300), ...calls(...parameters), ...op.i32Add, ...op.i32(0), ...op.i32(0), ...op.call(1)];
  const told = await outcome(ownModule([name, "respond"], { on_request: [...code, ...op.i32(1)] }, memoryText));
  return told.kind === "reject" ? (told.reply?.status ?? 0) - 300 : Number.NaN;
}

test("0 allows, 1 rejects, 2 modifies", async () => {
  expect(await outcome(onRequest(op.i32(0)))).toEqual({ kind: "allow", upstream: undefined });
  expect(await outcome(onRequest(op.i32(1)))).toMatchObject({ kind: "reject", reply: undefined, fields: "" });
  expect(await outcome(onRequest(op.i32(2)))).toEqual({ kind: "modify", upstream: undefined, fields: "" });
});

const FAILS: readonly (readonly [what: string, code: readonly number[], cause: string, reason: string | RegExp])[] = [
  ["an unknown code", op.i32(7), "misuse", "returns the unknown code 7"],
  ["a negative code", op.i32(-1), "misuse", "returns the unknown code -1"],
  ["3 without host_call", op.i32(3), "misuse", "parks without host_call"],
  ["a trap", op.unreachable, "trap", "trapped: Unreachable code should not be executed"],
  ["an access outside of memory", [...op.i32(-4), ...op.i32Load], "trap", "trapped: Out of bounds memory access"],
  ["a wild read beyond memory.size", [...op.i32(65_536), ...op.i32Load], "trap", /Out of bounds memory access/],
  ["a wild read at the memory's limit", [...op.i32(33_554_428), ...op.i32Load], "trap", /Out of bounds memory access/],
  [
    "a wild read beyond a grown memory",
    [...op.i32(1), ...op.memoryGrow, ...op.drop, ...op.i32(131_072), ...op.i32Load],
    "trap",
    /Out of bounds memory access/,
  ],
  ["an endless loop", [...op.loop, ...op.br(0), ...op.end, ...op.i32(0)], "fuel", "ran out of fuel"],
  [
    "endless recursion",
    [...op.call(0), ...op.i32(1), ...op.i32Add],
    "trap",
    "trapped: Maximum call stack size exceeded",
  ],
];

test.each(FAILS)("%s fails closed, and the instance is not used again", async (_what, code, cause, reason) => {
  const { filter: made } = await instance(onRequest(code));
  expect(made.onRequest(REQUEST)).toMatchObject({ kind: "failed", cause, reason: expect.stringMatching(reason) });
  expect(made.isPoisoned).toBe(true);
  expect(() => made.onRequest(REQUEST)).toThrow("Cannot call on_request");
});

test("a filter sees the request", async () => {
  expect(await resultOf("get_method", [])).toBe(2);
  expect(await resultOf("get_path", [1024, 100])).toBe(6);
  expect(await resultOf("get_path", [1024, 2])).toBe(6);
  expect(await resultOf("header_count", [])).toBe(4);
  expect(await resultOf("get_header", [0, 5, 1024, 100], "X-KEY")).toBe(5);
  expect(await resultOf("get_header", [0, 5, 1024, 0], "empty")).toBe(0);
  expect(await resultOf("get_header", [0, 5, 1024, 0], "other")).toBe(0);
  expect(await resultOf("read_body", [0, 1024, 100])).toBe(100);
  expect(await resultOf("read_body", [BODY_VIEW_BYTES - 7, 1024, 100])).toBe(7);
  expect(await resultOf("read_body", [-1, 1024, 100])).toBe(0);
});

test("every method has its number", async () => {
  const module = ownModule(["get_method", "respond"], {
    on_request: [...op.i32(200), ...op.call(0), ...op.i32Add, ...op.i32(0), ...op.i32(0), ...op.call(1), ...op.i32(1)],
  });
  const { filter: made } = await instance(module);
  const methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY", "PURGE"];
  const numbers = methods.map((method) => {
    const decided = made.onRequest({ ...REQUEST, method });
    return decided.kind === "reject" ? (decided.reply?.status ?? 0) - 200 : Number.NaN;
  });
  expect(numbers).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 255]);
});

test("a value is written up to the given length, and no byte after it", async () => {
  const code = [
    ...calls(0, 5, 16, 3),
    ...op.drop,
    ...op.i32(200),
    ...op.i32(16),
    ...op.i32(5),
    ...op.call(1),
    ...op.i32(1),
  ];
  const told = await outcome(ownModule(["get_header", "respond"], { on_request: code }, "x-key"));
  expect(told.kind === "reject" && Buffer.from(told.reply?.body ?? []).toString("latin1")).toBe("fir\0\0");
});

const LIES: readonly (readonly [name: OwnImport, parameters: readonly number[]])[] = [
  ["get_path", [-1, 4]],
  ["get_path", [65_534, 4]],
  ["get_header", [0, -1, 0, 4]],
  ["get_header", [0, 1, 2_147_483_647, 2_147_483_647]],
  ["read_body", [0, -8, 16]],
  ["log", [0, -1]],
  ["host_call", [65_536, 1]],
  ["respond", [200, -1, 1]],
  ["set_response_header", [0, 1, -1, 1]],
  ["set_upstream", [-1, -1]],
  ["replace_response_body", [0, -1]],
];

test("the gateway and the filter use the same memory after it has grown", async () => {
  const hooks = {
    on_request: [
      ...op.i32(2),
      ...op.memoryGrow,
      ...op.drop,
      ...calls(131_000, 100),
      ...op.drop,
      ...op.i32(131_000),
      ...op.i32Load,
    ],
  };
  const { filter: made } = await instance(ownModule(["get_path"], hooks));
  expect(made.onRequest({ ...REQUEST, path: "\x02\0\0\0" })).toMatchObject({ kind: "modify" });
});

test.each(LIES)("%s(%p) outside of memory ends the invocation", async (name, parameters) => {
  const code = calls(...parameters);
  const drop = OWN_IMPORTS[name].endsWith("i32") ? op.drop : [];
  expect(await outcome(ownModule([name], { on_request: [...code, ...drop, ...op.i32(0)] }))).toMatchObject({
    kind: "failed",
    cause: "misuse",
    reason: expect.stringMatching(/^names \d+ bytes at \d+, and its memory has 65536$/),
  });
});

test("a filter that catches an error of the gateway fails, whatever it does afterwards", async () => {
  const swallow = [0x06, 0x40, ...op.i32(-1), ...op.i32(1), ...op.call(0), 0x19, 0x0b];
  const goesOn = [...swallow, ...op.i32(0), ...op.i32(1), ...op.call(0)];
  for (const code of [swallow, goesOn, [...swallow, ...swallow, ...swallow]]) {
    const told = await outcome(ownModule(["log"], { on_request: [...code, ...op.i32(0)] }));
    expect(told).toMatchObject({ kind: "failed", cause: "misuse", reason: expect.stringContaining("names 1 bytes") });
  }
});

function brokenLog(): never {
  throw new Error("broken");
}

test("if a function of the gateway fails, for example on a full stack, the invocation fails although the filter catches the error", async () => {
  const swallow = [0x06, 0x40, ...op.i32(0), ...op.i32(1), ...op.call(0), 0x19, 0x0b];
  const once = await loaded(ownModule(["log"], { on_request: [...swallow, ...op.i32(0)] }));
  expect(new OwnInstance(once, { fuel: DEFAULT_FUEL, log: brokenLog }).onRequest(REQUEST)).toMatchObject({
    kind: "failed",
    reason: "trapped: a function of the gateway failed",
  });
  const goesOn = await loaded(
    ownModule(["log", "body_len"], { on_request: [...swallow, ...op.call(1), ...op.drop, ...op.i32(0)] }),
  );
  expect(new OwnInstance(goesOn, { fuel: DEFAULT_FUEL, log: brokenLog }).onRequest(REQUEST)).toMatchObject({
    kind: "failed",
    reason: "continues after a function of the gateway has failed",
  });
});

test("endless calls of the gateway run out of fuel, and the filter cannot catch the error", async () => {
  const call = [0x06, 0x40, ...op.i32(0), ...op.i32(1), ...op.call(0), 0x19, 0x0b];
  const { filter: made, lines } = await instance(
    ownModule(["log"], { on_request: [...op.loop, ...call, ...op.br(0), ...op.end, ...op.i32(0)] }),
  );
  const before = process.cpuUsage();
  expect(made.onRequest(REQUEST)).toMatchObject({ kind: "failed", cause: "fuel" });
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(500);
  expect(lines).toHaveLength(16);
});

function responds(status: number, length: number): Uint8Array {
  return ownModule(["respond"], { on_request: [...calls(status, 0, length), ...op.i32(1)] }, "sorry");
}

test("respond sets status and body, cut at 4096 bytes; an invalid status fails closed", async () => {
  const told = await outcome(responds(451, 5));
  expect(told.kind === "reject" && [told.reply?.status, Buffer.from(told.reply?.body ?? []).toString()]).toEqual([
    451,
    "sorry",
  ]);
  const long = await outcome(responds(200, 9000));
  expect(long.kind === "reject" && long.reply?.body.length).toBe(4096);
  expect(await outcome(responds(99, 0))).toMatchObject({ kind: "failed", reason: "responds with status 99" });
});

test("fields are staged for the response, except the gateway's own and invalid ones", async () => {
  const staged = ["X-A: 1", "x-a: 2", "Content-Length: 5", "Bad Name: 1", "X-B: a\r\nSet-Cookie: x", "X-C: c"];
  for (const control of ["\0", "\x01", "\x08", "\x0b", "\x1e", "\x7f"])
    staged.push(`X-D: a${control}b`, `X-D${control}: a`);
  let memory = "";
  const code = staged.flatMap((line) => {
    const [name = "", value = ""] = line.split(/: (.*)/s);
    const at = memory.length;
    memory += name + value;
    return calls(at, name.length, at + name.length, value.length);
  });
  const told = await outcome(ownModule(["set_response_header"], { on_request: [...code, ...op.i32(2)] }, memory));
  expect(told).toEqual({ kind: "modify", upstream: undefined, fields: "x-a: 2\r\nX-C: c\r\n" });
});

test("a filter parks once, reads the result, and names an upstream", async () => {
  const module = ownModule(
    ["host_call", "read_call_result", "set_upstream"],
    {
      on_request: [...calls(0, 4), ...op.drop, ...op.i32(3)],
      on_resume: [...op.i32(64), ...op.i32(64), ...op.i32(100), ...op.call(1), ...op.call(2), ...op.drop, ...op.i32(0)],
    },
    "boot",
  );
  const { filter: made } = await instance(module);
  const parked = made.onRequest(REQUEST);
  expect(parked.kind === "park" && Buffer.from(parked.command).toString()).toBe("boot");
  expect(made.onResume(Buffer.from("/run/x"))).toEqual({ kind: "allow", upstream: "/run/x" });
  made.release();
  expect(made.onRequest(REQUEST).kind).toBe("park");
});

test("a park without on_resume, a second park, and a call above 4096 bytes fail", async () => {
  const park = [...calls(0, 4), ...op.drop, ...op.i32(3)];
  expect(await outcome(ownModule(["host_call"], { on_request: park }))).toMatchObject({
    reason: "parks, and has no on_resume",
  });
  const { filter: made } = await instance(ownModule(["host_call"], { on_request: park, on_resume: park }));
  made.onRequest(REQUEST);
  expect(made.onResume(new Uint8Array())).toMatchObject({ kind: "failed", reason: "parks twice" });
  expect(await resultOf("host_call", [0, 4097])).toBe(-1);
});

test("set_upstream refuses invalid names", async () => {
  expect(await resultOf("set_upstream", [0, 3], "abc")).toBe(0);
  expect(await resultOf("set_upstream", [0, 0])).toBe(-1);
  expect(await resultOf("set_upstream", [0, 257], "a".repeat(300))).toBe(-1);
  expect(await resultOf("set_upstream", [0, 3], "a\0b")).toBe(-1);
});

test("on_response changes status, fields and body, or leaves the response unchanged", async () => {
  const change = [...calls(503), ...op.i32(0), ...op.i32(4), ...op.call(1), ...op.drop];
  const used = ["set_response_status", "replace_response_body"] as const;
  const changes = (code: number) =>
    ownModule(used, { on_request: op.i32(0), on_response: [...change, ...op.i32(code)] }, "body");
  const { filter: made } = await instance(changes(0));
  made.onRequest(REQUEST);
  const told = made.onResponse(RESPONSE);
  expect(told.kind === "change" && [told.status, Buffer.from(told.body ?? []).toString()]).toEqual([503, "body"]);
  const { filter: other } = await instance(changes(1));
  other.onRequest(REQUEST);
  expect(other.onResponse(RESPONSE)).toEqual({ kind: "unchanged" });
});

test("the state of one request is not visible to the next", async () => {
  const module = ownModule(["set_response_header"], { on_request: [...calls(0, 1, 1, 1), ...op.i32(2)] }, "ab");
  const { filter: made } = await instance(module);
  for (let i = 0; i < 3; i++) {
    expect(made.onRequest(REQUEST)).toEqual({ kind: "modify", upstream: undefined, fields: "a: b\r\n" });
    made.release();
  }
});

test.each([
  [1, { kind: "reject", reply: { status: 418 }, fields: "a: b\r\n" }, { kind: "reject", reply: undefined, fields: "" }],
  [2, { kind: "modify", fields: "a: b\r\n" }, { kind: "modify", fields: "" }],
])("the result %i has nothing of what only the request before has set", async (code, first, second) => {
  const once = [...callsOf(0, 0, 1, 1, 1), ...callsOf(1, 418, 0, 1), ...op.i32(64), ...op.i32(1), ...op.i32Store];
  const isFirst = [...op.i32(64), ...op.i32Load, 0x45];
  const hook = [...isFirst, ...op.if, ...once, ...op.end, ...op.i32(code)];
  const module = ownModule(["set_response_header", "respond"], { on_request: hook }, "ab");
  const { filter: made } = await instance(module);
  for (const expected of [first, second]) {
    expect(made.onRequest(REQUEST)).toMatchObject(expected);
    made.release();
  }
});

test("each invocation starts with full fuel", async () => {
  const { filter: made } = await instance(onRequest([...op.loop, ...op.end, ...op.i32(0)]), 10);
  for (let i = 0; i < 100; i++) expect(made.onRequest(REQUEST).kind).toBe("allow");
  expect(made.fuelLeft).toBeGreaterThan(0);
});

function startsWith(code: readonly number[]): Uint8Array {
  return assemble({
    ...ownImports("header_count"),
    types: [
      [[], [I32]],
      [[], []],
    ],
    memory: 1,
    functions: [
      { type: 1, code },
      { export: "on_request", type: 0, code: op.i32(0) },
    ],
    start: 1,
  });
}

test("the error names the reason if a filter does not start", async () => {
  expect(await instance(startsWith([...op.call(0), ...op.drop])).catch(messageOf)).toBe(
    "Cannot start the filter: it calls the gateway while it is instantiated",
  );
  expect(await instance(startsWith(op.unreachable)).catch(messageOf)).toStartWith(
    "Cannot start the filter: it trapped",
  );
});

test("log lines are cut, and 16 lines are logged for each request", async () => {
  const log = calls(0, 2000);
  const { filter: made, lines } = await instance(
    ownModule(
      ["log"],
      { on_request: [...Array.from({ length: 20 }, () => log).flat(), ...op.i32(0)] },
      "y".repeat(2000),
    ),
  );
  made.onRequest(REQUEST);
  expect(lines.map((line) => line.length)).toEqual(Array<number>(16).fill(1024));
});
