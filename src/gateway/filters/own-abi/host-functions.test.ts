/** The results of the functions of the own ABI at their limits, and the fuel that they take for the bytes they go over. */
import { expect, test } from "bun:test";
import { GuestMemory } from "../module/guest-memory.ts";
import { type OwnImport } from "../module/own-signatures.ts";
import { hostFunctions } from "./host-functions.ts";
import { HostState } from "./host-state.ts";
import { type RequestView, type ResponseView } from "./views.ts";

const FUEL = 100_000;
const PAGES = 2;
const END = PAGES * 65_536;
/** Addresses: a field's name, a name with a NUL, zeros, and free memory. */
const [NAME, WITH_NUL, ZEROS, OUT] = [0, 100, 200, 70_000];
const LONG = "v".repeat(6400);
const FIELDS = `x-long: ${LONG}\r\nb: 2\r\n`;
const BODY = new Uint8Array(6400).fill(0x61);
const REQUEST: RequestView = {
  method: "PATCH",
  path: `/${"p".repeat(6399)}`,
  fields: FIELDS,
  bodyLength: 7000,
  body: BODY,
};
const RESPONSE: ResponseView = { status: 207, fields: FIELDS, bodyLength: 9000, body: BODY };

function create() {
  const state = new HostState();
  const fuel = { value: FUEL };
  const memory = new WebAssembly.Memory({ initial: PAGES });
  state.guest = { memory: new GuestMemory(memory, (reason) => state.abort(reason)), fuel };
  const bytes = Buffer.from(memory.buffer);
  bytes.write("X-Long", NAME);
  bytes.write("a\0b", WITH_NUL);
  state.begin(REQUEST);
  state.response = RESPONSE;
  state.callResult = BODY;
  const lines: string[] = [];
  const functions = hostFunctions(state, (line) => void lines.push(line));
  return { state, bytes, lines, functions, used: () => FUEL - fuel.value };
}

/** One unit for 64 bytes, and 20 for the call. */
const over = (bytes: number): number => 20 + Math.floor(bytes / 64);

const ROWS: readonly (readonly [name: OwnImport, parameters: readonly number[], result: unknown, bytes: number])[] = [
  ["get_method", [], 8, 0],
  ["get_path", [OUT, 6400], 6400, 6400],
  ["get_path", [OUT, 0], 6400, 6400],
  ["get_header", [NAME, 6, OUT, 6400], 6400, FIELDS.length + 6],
  ["get_header", [NAME, 5, OUT, 10], 0, FIELDS.length + 5],
  ["get_header", [NAME, 65_537, OUT, 10], 0, FIELDS.length + 65_536],
  ["header_count", [], 2, FIELDS.length],
  ["body_len", [], 7000, 0],
  ["read_body", [0, OUT, 6400], 6400, 6400],
  ["read_body", [6000, OUT, 6400], 400, 400],
  ["read_body", [6400, OUT, 6400], 0, 0],
  ["read_body", [-1, OUT, 6400], 0, 0],
  ["read_body", [0, OUT, 640], 640, 640],
  ["set_response_header", [NAME, 6, ZEROS, 640], undefined, 646],
  ["set_response_header", [NAME, 6, ZEROS, 6400], undefined, 4096],
  ["respond", [200, ZEROS, 640], undefined, 640],
  ["respond", [599, ZEROS, 6400], undefined, 4096],
  ["log", [ZEROS, 640], undefined, 640],
  ["log", [ZEROS, 6400], undefined, 1024],
  ["host_call", [ZEROS, 4096], 0, 4096],
  ["host_call", [ZEROS, 4097], -1, 4096],
  ["read_call_result", [OUT, 6400], 6400, 6400],
  ["read_call_result", [OUT, 64], 64, 64],
  ["set_upstream", [NAME, 6], 0, 0],
  ["set_upstream", [ZEROS, 0], -1, 0],
  ["set_upstream", [WITH_NUL, 3], -1, 0],
  ["set_upstream", [OUT, 257], -1, 256],
  ["get_response_status", [], 207, 0],
  ["get_response_header", [NAME, 6, OUT, 6400], 6400, FIELDS.length + 6],
  ["response_body_len", [], 9000, 0],
  ["read_response_body", [0, OUT, 6400], 6400, 6400],
  ["read_response_body", [6399, OUT, 6400], 1, 1],
  ["set_response_status", [200], undefined, 0],
  ["replace_response_body", [OUT, 6400], 0, 6400],
  ["replace_response_body", [0, 65_536], 0, 65_536],
  ["replace_response_body", [0, 65_537], -1, 65_536],
];

test.each(ROWS)("%s(%p) returns %p, and takes fuel for %i bytes", (name, parameters, result, bytes) => {
  const { state, functions, used } = create();
  expect(functions[name](...parameters)).toBe(result as number | undefined);
  expect([used(), state.isInside, state.reason]).toEqual([over(bytes), false, undefined]);
});

test("without a request and a response, functions return 0 and write nothing", () => {
  const { state, bytes, functions } = create();
  state.release();
  bytes.fill(0xff, OUT, OUT + 8);
  expect([functions.get_method(), functions.header_count(), functions.body_len()]).toEqual([255, 0, 0]);
  expect([functions.get_path(OUT, 8), functions.read_body(0, OUT, 8), functions.get_header(NAME, 6, OUT, 8)]).toEqual([
    0, 0, 0,
  ]);
  expect([functions.get_response_status(), functions.response_body_len(), functions.read_call_result(OUT, 8)]).toEqual([
    0, 0, 0,
  ]);
  expect([functions.get_response_header(NAME, 6, OUT, 8), functions.read_response_body(0, OUT, 8)]).toEqual([0, 0]);
  expect(bytes.toString("hex", OUT, OUT + 8)).toBe("ff".repeat(8));
});

test("values are written from the address on, up to the capacity", () => {
  const { bytes, functions } = create();
  bytes.fill(0xff, OUT, OUT + 8);
  functions.read_body(0, OUT + 1, 2);
  functions.get_header(NAME, 6, OUT + 4, 3);
  expect(bytes.toString("latin1", OUT, OUT + 8)).toBe("\xffaa\xffvvv\xff");
});

test("what a filter passes is kept, cut to its limit", () => {
  const { state, bytes, lines, functions } = create();
  bytes.fill("r", OUT, OUT + 7000);
  functions.set_response_header(NAME, 6, OUT, 3);
  expect(state.fields.text()).toBe("X-Long: rrr\r\n");
  // Name and value have 4,096 bytes at most together.
  functions.set_response_header(NAME, 6, OUT, 4091);
  expect(state.fields.text()).toBe("X-Long: rrr\r\n");
  functions.set_response_header(NAME, 6, OUT, 4090);
  expect(state.fields.text().length).toBe("X-Long: \r\n".length + 4090);
  functions.respond(403, OUT, 5000);
  expect([state.reply?.status, state.reply?.body.length]).toEqual([403, 4096]);
  functions.respond(404, OUT, 2);
  expect(state.reply).toEqual({ status: 404, body: Uint8Array.from(Buffer.from("rr")) });
  functions.log(OUT, 2);
  functions.log(OUT, 2000);
  expect(lines.map(({ length }) => length)).toEqual([2, 1024]);
  for (let i = 0; i < 20; i++) functions.log(OUT, 1);
  expect(lines.length).toBe(16);
  functions.host_call(OUT, 3);
  expect(String(Buffer.from(state.command ?? []))).toBe("rrr");
  functions.host_call(OUT, 4097);
  expect(state.command?.length).toBe(3);
  functions.set_upstream(OUT, 256);
  expect(state.upstream).toBe("r".repeat(256));
  functions.set_upstream(OUT, 257);
  functions.set_upstream(WITH_NUL, 3);
  functions.set_upstream(OUT, 0);
  expect(state.upstream?.length).toBe(256);
  functions.set_response_status(599);
  functions.replace_response_body(OUT, 5);
  expect([state.newStatus, state.newBody?.length]).toEqual([599, 5]);
  functions.replace_response_body(0, 65_537);
  expect(state.newBody?.length).toBe(5);
});

const OUTSIDE = "names 2 bytes at 131071, and its memory has 131072";

test.each<readonly [OwnImport, readonly number[], string]>([
  ["get_path", [END - 1, 2], OUTSIDE],
  ["get_header", [END - 1, 2, OUT, 1], OUTSIDE],
  ["get_header", [NAME, 6, END - 1, 2], OUTSIDE],
  ["read_body", [0, END - 1, 2], OUTSIDE],
  ["set_response_header", [END - 1, 2, OUT, 1], OUTSIDE],
  ["set_response_header", [NAME, 1, END - 1, 2], OUTSIDE],
  ["set_response_header", [END - 1, 2, OUT, 5000], OUTSIDE],
  ["set_response_header", [NAME, 5000, END - 1, 2], OUTSIDE],
  ["respond", [200, END - 1, 2], OUTSIDE],
  ["respond", [199, OUT, 1], "responds with status 199"],
  ["respond", [600, OUT, 1], "responds with status 600"],
  ["respond", [200, END - 5000, 5001], "names 5001 bytes at 126072, and its memory has 131072"],
  ["log", [END - 1, 2], OUTSIDE],
  ["log", [END - 5000, 5001], "names 5001 bytes at 126072, and its memory has 131072"],
  ["host_call", [END - 1, 2], OUTSIDE],
  ["host_call", [END - 5000, 5001], "names 5001 bytes at 126072, and its memory has 131072"],
  ["set_upstream", [END - 1, 2], OUTSIDE],
  ["set_upstream", [END - 500, 501], "names 501 bytes at 130572, and its memory has 131072"],
  ["set_response_status", [199], "sets the status 199"],
  ["set_response_status", [600], "sets the status 600"],
  ["replace_response_body", [END - 1, 2], OUTSIDE],
  ["replace_response_body", [END - 65_537, 65_538], "names 65538 bytes at 65535, and its memory has 131072"],
])("%s(%p) ends the invocation", (name, parameters, reason) => {
  const { state, functions, used } = create();
  expect(() => functions[name](...parameters)).toThrow(reason);
  expect([state.reason, state.isInside, used()]).toEqual([reason, true, FUEL + 1]);
  // The filter can catch the error, but not go on.
  expect(() => functions.get_method()).toThrow("continues after a function of the gateway has failed");
  expect(state.reason).toBe(reason);
});

test("a function that finds no fuel left ends the invocation", () => {
  const { state, functions } = create();
  const { guest } = state;
  if (guest !== undefined) guest.fuel.value = 20;
  expect([functions.body_len(), guest?.fuel.value]).toEqual([7000, 0]);
  expect(() => functions.body_len()).toThrow("has no fuel left");
  expect([state.isInside, guest?.fuel.value]).toEqual([true, -20]);
});
