import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { patient } from "../../src/lib/testing/patience.ts";
import { Admin, KEY } from "../support/admin.ts";
import { until } from "../support/program.ts";

setDefaultTimeout(patient(60_000));

let admin: Admin;

beforeAll(async () => {
  admin = await Admin.start({ workers: 2, admin: { hosts: ["admin.example.com"] } });
});
afterAll(() => admin.stop());

/** The response to these bytes, until the connection ends or a response is complete. */
async function send(bytes: string | Uint8Array): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = "";
  const socket = connect(Number(new URL(admin.url).port), "127.0.0.1", () => socket.write(bytes));
  const look = (): void => {
    const length = /\r\ncontent-length: (\d+)\r\n/i.exec(text)?.[1];
    const body = text.indexOf("\r\n\r\n") + 4;
    if (length !== undefined && body > 3 && text.length >= body + Number(length)) resolve(text);
  };
  socket.setEncoding("latin1");
  socket.on("data", (piece: string) => {
    text += piece;
    look();
  });
  socket.once("error", () => resolve(text));
  socket.once("close", () => resolve(text));
  const response = await promise;
  socket.destroy();
  return response;
}

const key = `X-API-Key: ${KEY}\r\n`;
const head = (line: string, fields = key): string => `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\n${fields}`;

const host = (name: string): string => `Host: ${name}\r\n`;

const ROWS: readonly (readonly [what: string, bytes: string | Uint8Array, status: number])[] = [
  ["no HTTP", "\u0000\u0001\u0002\r\n\r\n", 400],
  ["TLS to a port without it", Uint8Array.of(22, 3, 1, 0, 5, 1, 0, 0, 1, 0), 400],
  ["HTTP/2 by prior knowledge", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
  ["an unknown method", `${head("BREW /v1/status")}\r\n`, 400],
  ["CONNECT", `${head("CONNECT a.test:443")}\r\n`, 400],
  ["TRACE", `${head("TRACE /v1/status")}\r\n`, 405],
  ["no host", `GET /v1/status HTTP/1.1\r\n${key}\r\n`, 400],
  ["a head above the bound", `${head("GET /v1/status")}X: ${"x".repeat(20_000)}\r\n\r\n`, 431],
  ["a field without a name", `${head("GET /v1/status")}: x\r\n\r\n`, 400],
  ["a field over two lines", `${head("GET /v1/status")}X: a\r\n b\r\n\r\n`, 400],
  ["a space before the colon", `${head("GET /v1/status")}X : a\r\n\r\n`, 400],
  ["both lengths", `${head("POST /v1/routes")}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
  ["two lengths", `${head("POST /v1/routes")}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`, 400],
  ["a length that is not a number", `${head("POST /v1/routes")}Content-Length: 1e3\r\n\r\n`, 400],
  ["an unknown coding", `${head("POST /v1/routes")}Transfer-Encoding: gzip\r\n\r\n`, 400],
  [
    "chunks that are none",
    `${head("POST /v1/routes")}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n`,
    400,
  ],
  [
    "a length above the bound",
    `${head("POST /v1/routes")}Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n`,
    413,
  ],
  [
    "an endless body in chunks",
    `${head("POST /v1/routes")}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${`10000\r\n${" ".repeat(65_536)}\r\n`.repeat(20)}`,
    413,
  ],
  [
    "half of a surrogate pair in a name",
    `${head("POST /v1/upstreams")}Content-Type: application/json\r\nContent-Length: 54\r\n\r\n` +
      String.raw`{"name":"\ud800","servers":[{"address":"a","port":1}]}`,
    400,
  ],
  ["a body that was not requested", `${head("GET /v1/status")}Content-Length: 5\r\n\r\nhello`, 200],
  ["a refusal before the body", `${head("POST /v1/routes", "")}Content-Length: 1000000\r\n\r\n`, 401],
  [
    "an absolute target",
    `${head("GET http://127.0.0.1:1/v1/status").replace("127.0.0.1\r", "elsewhere.test\r")}\r\n`,
    200,
  ],
  ["an absolute target of another host", `${head("GET http://elsewhere.test/v1/status")}\r\n`, 400],
  ["HTTP/1.0 without a host", `GET /v1/status HTTP/1.0\r\n${key}\r\n`, 200],
  ["HTTP/1.0 with another host", `GET /v1/status HTTP/1.0\r\n${host("elsewhere.test")}${key}\r\n`, 400],
  ["the host of another page", `GET / HTTP/1.1\r\n${host("elsewhere.test:9180")}\r\n`, 400],
  ["a host below an own one", `GET /v1/status HTTP/1.1\r\n${host("127.0.0.1.elsewhere.test")}${key}\r\n`, 400],
  ["another address", `GET /v1/status HTTP/1.1\r\n${host("10.9.9.9")}${key}\r\n`, 400],
  ["the same host twice", `GET /v1/status HTTP/1.1\r\n${host("127.0.0.1")}${host("127.0.0.1")}${key}\r\n`, 400],
  [
    "an own host and another one",
    `GET /v1/status HTTP/1.1\r\n${host("127.0.0.1")}${host("elsewhere.test")}${key}\r\n`,
    400,
  ],
  ["a list of hosts", `GET /v1/status HTTP/1.1\r\n${host("127.0.0.1, elsewhere.test")}${key}\r\n`, 400],
  ["an empty host", `GET /v1/status HTTP/1.1\r\n${host("")}${key}\r\n`, 400],
  ["a host with a user", `GET /v1/status HTTP/1.1\r\n${host("elsewhere.test@127.0.0.1")}${key}\r\n`, 400],
  ["a name of loopback", `GET /v1/status HTTP/1.1\r\n${host("LocalHost.:1")}${key}\r\n`, 200],
  ["a name of admin.hosts", `GET /v1/status HTTP/1.1\r\n${host("admin.example.com:443")}${key}\r\n`, 200],
  ["a target without a slash", `${head("GET v1/status")}\r\n`, 400],
  ["two slashes", `${head("GET //v1/status")}\r\n`, 404],
  ["a path through a parent", `${head("GET /x/../v1/status")}\r\n`, 200],
  ["a backslash", `${head("GET /v1\\status")}\r\n`, 404],
  ["a NUL", `${head("GET /v1/status%00")}\r\n`, 404],
  ["an upgrade", `${head("GET /v1/status")}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`, 200],
  ["keys twice", `${head("GET /v1/status")}${key}\r\n`, 401],
  ["HTTP/1.0", `GET /v1/status HTTP/1.0\r\nHost: 127.0.0.1\r\n${key}\r\n`, 200],
  ["OPTIONS of everything", `${head("OPTIONS *")}\r\n`, 404],
];

for (const [what, bytes, status] of ROWS) {
  test(`${what} gets ${status}`, async () => {
    const text = await send(bytes);
    expect(text).toStartWith(`HTTP/1.1 ${status} `);
    if (status >= 400) expect(text.toLowerCase()).toContain("content-type: application/problem+json");
    expect(admin.program.output).not.toContain("internal error");
  });
}

async function conditional(method: string, path: string, headers: Record<string, string>): Promise<number> {
  return (await admin.call(method, path, { headers, ...(method === "POST" ? { body: {} } : {}) })).status;
}

test("conditions of every form", async () => {
  for (const path of ["/v1/routes", "/v1/upstreams", "/v1/config", "/v1/status"]) {
    const etag = (await admin.call("GET", path)).headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[^"]+"$/);
    const rows: readonly (readonly [Record<string, string>, number])[] = [
      [{ "if-none-match": etag }, 304],
      [{ "if-none-match": `W/${etag}` }, 304],
      [{ "if-none-match": `"x", ${etag} , "y"` }, 304],
      [{ "if-none-match": "*" }, 304],
      [{ "if-none-match": '"x"' }, 200],
      [{ "if-none-match": "garbage" }, 200],
      [{ "if-none-match": etag.slice(1, -1) }, 200],
      [{ "if-match": etag }, 200],
      [{ "if-match": `"x",${etag}` }, 200],
      [{ "if-match": "*" }, 200],
      [{ "if-match": `W/${etag}` }, 412],
      [{ "if-match": '"x"' }, 412],
      [{ "if-match": "garbage" }, 412],
      [{ "if-match": '"x"', "if-none-match": etag }, 412],
    ];
    for (const [headers, status] of rows) {
      expect([path, headers, await conditional("GET", path, headers)]).toEqual([path, headers, status]);
    }
    expect(await conditional("HEAD", path, { "if-none-match": etag })).toBe(304);
    // Only clients with the newest revision learn the errors in the body.
    const changes: readonly (readonly [Record<string, string>, number])[] = [
      [{ "if-match": etag }, 400],
      [{ "if-match": "*" }, 400],
      [{ "if-match": `"x", ${etag}` }, 400],
      [{ "if-match": `W/${etag}` }, 412],
      [{ "if-match": "garbage" }, 412],
      [{ "if-match": "" }, 412],
      [{ "if-none-match": "*" }, 412],
      [{ "if-none-match": '"x"' }, 400],
    ];
    for (const [headers, status] of changes) {
      expect([path, headers, await conditional("POST", "/v1/routes", headers)]).toEqual([path, headers, status]);
    }
  }
});

test("idle connections of one address leave connections for operators at this and at other addresses", async () => {
  const sockets: Socket[] = [];
  for (let i = 0; i < 700; i += 1) {
    const socket = connect({
      port: Number(new URL(admin.url).port),
      host: "127.0.0.1",
      localAddress: `127.0.2.${1 + (i % 7)}`,
    });
    socket.on("error", () => {});
    sockets.push(socket);
  }
  await until("connections are open", () =>
    sockets.filter(({ readyState }) => readyState === "open").length > 300 ? true : undefined,
  );
  expect((await admin.call("GET", "/v1/status")).status).toBe(200);
  // The older half was closed to make room for the newer half.
  await until("the bound is kept", () =>
    sockets.filter(({ destroyed, readyState }) => !destroyed && readyState === "open").length <= 512 ? true : undefined,
  );
  for (const socket of sockets) socket.destroy();
  expect((await admin.call("GET", "/v1/status")).status).toBe(200);
});

test("the 33rd reader of events is refused, and no reader is left behind", async () => {
  const readers = await Promise.all(Array.from({ length: 32 }, () => admin.fetch("GET", "/v1/events")));
  expect(readers.map(({ status }) => status)).toEqual(Array.from({ length: 32 }, () => 200));
  expect((await admin.call("GET", "/v1/events")).body.code).toBe("overloaded");
  for (const { body } of readers) await body?.cancel();
  await until("there is room again", async () => {
    const response = await admin.fetch("GET", "/v1/events");
    await response.body?.cancel();
    return response.status === 200 ? true : undefined;
  });
});
