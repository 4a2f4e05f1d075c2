/** Filters for the Turnpike ABI that change responses. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { op } from "../../src/gateway/filters/module/testing/assembler.ts";
import { callsOf, ownModule } from "../../src/gateway/filters/own-abi/testing/own-module.ts";
import { type OwnImport } from "../../src/gateway/filters/module/own-signatures.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { PROTOCOLS, type Reply } from "./protocols.ts";
import { FilterRig, mustBe } from "./testing/filter-rig.ts";

setDefaultTimeout(patient(30_000));

let rig: FilterRig;

beforeAll(async () => {
  rig = await FilterRig.start();
});

beforeEach(() => rig.reset());
afterEach(() => rig.verify());
afterAll(() => rig.stop());

const IMPORTS: readonly OwnImport[] = [
  "set_response_header",
  "set_response_status",
  "replace_response_body",
  "response_body_len",
  "read_response_body",
  "get_response_status",
  "get_response_header",
];
const MEMORY = "X-Mark: yes other body content-length";
const MARK = callsOf(0, 0, 6, 8, 3);
const REPLACE = [...callsOf(2, 12, 10), ...op.drop];
const APPLY = op.i32(0);
const UNCHANGED = op.i32(1);

/** A filter that allows all requests. It imports only the functions that it uses. */
function hook(code: readonly number[], used: readonly OwnImport[] = IMPORTS, onRequest = op.i32(0)): Uint8Array {
  // Functions have the numbers of IMPORTS. An unused one is replaced by a cheap one.
  const names = IMPORTS.map((name) => (used.includes(name) ? name : standIn(name)));
  return ownModule(names, { on_request: onRequest, on_response: code }, MEMORY, 2);
}

/** A function of the same type that reads no body. */
function standIn(name: OwnImport): OwnImport {
  if (name === "response_body_len") return "get_response_status";
  if (name === "read_response_body") return "read_body";
  return name === "replace_response_body" ? "set_upstream" : name;
}

function sends(head: string, body = ""): void {
  rig.origin.response = (_request, connection) => connection.send(`${head}\r\n\r\n${body}`);
}

const CHUNKS = (...parts: readonly string[]): string =>
  `${parts.map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("")}0\r\n\r\n`;

/** Replaces the body if it has this length, and this number of bytes is visible. */
const sees = (length: number, seen: number): Uint8Array =>
  hook([...mustBe(length, 3, []), ...mustBe(seen, 4, [0, 100, 65_536]), ...REPLACE, ...APPLY]);

describe.each(PROTOCOLS)("over %s", (protocol) => {
  const ask = (method = "GET"): Promise<Reply> => rig.chain.clients.request(protocol, { method });

  test("fields and status are changed, and the body streams", async () => {
    await rig.use([hook([...MARK, ...callsOf(1, 202), ...APPLY], ["set_response_header", "set_response_status"])]);
    sends("HTTP/1.1 200 Fine\r\nX-Mark: no\r\nTransfer-Encoding: chunked", CHUNKS("a".repeat(70_000), "b"));
    const told = await ask();
    expect([told.status, told.all("x-mark"), told.body.length]).toEqual([202, ["yes"], 70_001]);
    expect(rig.runtime.counted).toEqual(["request allow", "response modify"]);
  });

  test("the response has the fields that a filter sets on the request and on the response, the latter last", async () => {
    const both = [...callsOf(0, 0, 6, 12, 5), ...op.i32(2)];
    await rig.use([hook([...MARK, ...APPLY], IMPORTS, both)]);
    expect((await ask()).all("x-mark")).toEqual(["yes"]);
    await rig.use([hook(UNCHANGED, IMPORTS, both)]);
    expect((await ask()).all("x-mark")).toEqual(["other"]);
  });

  test("a body is replaced, and the fields that described the old one are removed", async () => {
    await rig.use([hook([...REPLACE, ...APPLY])]);
    const fields = 'ETag: "a"\r\nContent-Encoding: gzip\r\nContent-Range: bytes 0-4/9\r\nX-Other: 1';
    sends(`HTTP/1.1 206 Partial Content\r\n${fields}\r\nContent-Length: 5`, "hello");
    const told = await ask();
    expect([told.status, told.text, told.header("content-length")]).toEqual([200, "other body", "10"]);
    const names = ["etag", "content-encoding", "content-range", "x-other"];
    expect(names.map((name) => told.header(name))).toEqual([undefined, undefined, undefined, "1"]);
    const head = await ask("HEAD");
    expect([head.text, head.header("content-length")]).toEqual(["", "10"]);
  });

  test("a long body is replaced, none of it is sent, and its connection is closed", async () => {
    await rig.use([hook([...REPLACE, ...APPLY], ["replace_response_body"])]);
    sends("HTTP/1.1 200 OK\r\nContent-Length: 900000", "x".repeat(200_000));
    const told = await ask();
    expect([told.text, told.header("content-length")]).toEqual(["other body", "10"]);
    await rig.origin.until("the end of its connection", () => rig.origin.connections.at(-1)?.closed || undefined);
  });

  test("a filter sees length and first bytes of a body, however it arrives", async () => {
    const bodies = [
      ["HTTP/1.1 200 OK\r\nContent-Length: 5", "hello", 5, 5],
      ["HTTP/1.1 200 OK\r\nContent-Length: 100000", "x".repeat(100_000), 100_000, 65_536],
      ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked", CHUNKS("hel", "lo"), 5, 5],
      ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked", CHUNKS("x".repeat(100_000)), 100_000, 65_536],
      ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked", CHUNKS("x".repeat(1_100_000)), 2_147_483_647, 65_536],
      ["HTTP/1.1 200 OK\r\nContent-Length: 0", "", 0, 0],
    ] as const;
    for (const [head, body, length, seen] of bodies) {
      await rig.use([sees(length, seen)]);
      sends(head, body);
      expect((await ask()).text).toBe("other body");
    }
  });

  test("a response that a filter reads and does not change arrives unchanged", async () => {
    await rig.use([hook([...callsOf(4, 0, 100, 65_536), ...op.drop, ...UNCHANGED])]);
    for (const length of [0, 5, 65_536, 65_537, 1_200_000]) {
      sends(`HTTP/1.1 200 OK\r\nETag: "a"\r\nContent-Length: ${length}`, "y".repeat(length));
      const told = await ask();
      expect([told.body.length, told.header("etag")]).toEqual([length, '"a"']);
      sends("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked", length === 0 ? CHUNKS() : CHUNKS("y".repeat(length)));
      expect((await ask()).body.length).toBe(length);
    }
  });

  test("statuses without a body stay so, and get a body if the filter sets one", async () => {
    await rig.use([hook([...REPLACE, ...APPLY])]);
    sends('HTTP/1.1 304 Not Modified\r\nETag: "a"');
    const unmodified = await ask();
    expect([unmodified.status, unmodified.text, unmodified.header("etag")]).toEqual([304, "", '"a"']);
    await rig.use([hook([...callsOf(1, 200), ...REPLACE, ...APPLY])]);
    sends("HTTP/1.1 204 No Content");
    expect((await ask()).text).toBe("other body");
    await rig.use([hook([...callsOf(1, 204), ...APPLY])]);
    sends("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5", "hello");
    const none = await ask();
    expect([none.status, none.text, none.header("content-type")]).toEqual([204, "", undefined]);
  });

  test("a filter that fails leaves the response unchanged, or causes 503 if it must fail closed", async () => {
    for (const body of ["hello", "z".repeat(200_000)]) {
      for (const used of [IMPORTS, ["set_response_header"] as const]) {
        const module = hook([...MARK, ...op.unreachable], used);
        sends(`HTTP/1.1 200 OK\r\nX-Up: 1\r\nContent-Length: ${body.length}`, body);
        await rig.use([module]);
        const open = await ask();
        expect([open.status, open.text === body, open.header("x-mark")]).toEqual([200, true, undefined]);
        await rig.use([module], { responseFailClosed: true });
        const closed = await ask();
        expect([closed.status, closed.header("x-up"), closed.json]).toEqual([
          503,
          undefined,
          expect.objectContaining({ type: "urn:turnpike:error:filter-unavailable" }),
        ]);
      }
    }
    expect(rig.runtime.lines[0]).toStartWith("test: on_response trapped");
  });

  test("gateway errors are not filtered, and neither is the error for an upstream that breaks off", async () => {
    await rig.use([hook([...callsOf(4, 0, 100, 65_536), ...op.drop, ...MARK, ...APPLY])]);
    rig.origin.response = (_request, connection) => connection.reset();
    expect((await ask()).status).toBe(502);
    rig.origin.response = (_request, connection) => connection.end("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
    const told = await ask();
    expect([told.status, told.header("x-mark")]).toEqual([502, undefined]);
    expect(rig.runtime.counted).toEqual(["request allow", "request allow"]);
  });

  test("filters process the response in the reverse order", async () => {
    const second = hook([...callsOf(0, 0, 6, 12, 5), ...REPLACE, ...APPLY]);
    // The first filter reads the output of the second: 10 bytes.
    const first = hook([...mustBe(10, 3, []), ...callsOf(1, 201), ...APPLY]);
    await rig.use([first, second]);
    const told = await ask();
    expect([told.status, told.text, told.header("x-mark")]).toEqual([201, "other body", "other"]);
  });
});
