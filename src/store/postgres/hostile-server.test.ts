import { afterEach, expect, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { createServer } from "node:net";
import { listenOnLoopback } from "../../lib/testing/listen.ts";
import { closeServers, DONE, message, OK, READY, serve, UTF8 } from "../testing/scripted-postgres.ts";
import { until } from "../../lib/testing/until.ts";
import { watchTimers } from "../../lib/testing/timers.ts";
import { Connection, statement } from "./connection.ts";
import { Pool } from "./pool.ts";
import { type SslMode } from "./target.ts";

afterEach(closeServers);

const SCRAM = message("R", 10, "SCRAM-SHA-256\0\0");
const PASSWORD = "correct horse";

async function outcome(port: number, sslMode: SslMode = "disable", ms = 200): Promise<string> {
  const target = { host: "127.0.0.1", port, user: "me", database: "db", sslMode };
  try {
    const connection = await Connection.open({
      target,
      password: PASSWORD,
      allowCleartext: false,
      authorities: "",
      statementMs: ms,
      connectMs: ms,
    });
    const rows = await connection.run([{ statement: statement("SELECT 1"), values: [] }], ms);
    connection.close();
    return JSON.stringify(rows);
  } catch (error) {
    return String(error).replace("PostgresError: Cannot use the database: ", "");
  }
}

const NO_PROTOCOL = "the peer does not speak PostgreSQL's protocol";

const CASES: readonly [name: string, sslMode: SslMode, answers: (Buffer | string)[], expected: string][] = [
  [
    "does not offer the required TLS",
    "require",
    ["N"],
    "the server does not offer TLS; sslmode=disable in its URL connects without",
  ],
  ["adds plaintext after it accepts TLS", "require", [Buffer.concat([Buffer.from("S"), OK])], NO_PROTOCOL],
  ["responds to TLS with an error", "verify-full", [message("E", "Mno\0\0")], NO_PROTOCOL],
  ["sends nothing", "disable", [], "the server is not ready within 200 ms"],
  ["does not respond to the request for TLS", "require", [], "the server is not ready within 200 ms"],
  ["is not a database", "disable", ["HTTP/1.1 400 Bad Request\r\n\r\n"], NO_PROTOCOL],
  ["announces a message of 2 GiB", "disable", [Buffer.from([0x52, 0x7f, 0xff, 0xff, 0xff])], NO_PROTOCOL],
  ["announces a message shorter than its length field", "disable", [Buffer.from([0x52, 0, 0, 0, 3])], NO_PROTOCOL],
  ["is ready before it has authenticated the client", "disable", [Buffer.concat([UTF8, READY])], NO_PROTOCOL],
  ["sends endless notices", "disable", [Buffer.concat(Array(300).fill(message("N", "\0")))], NO_PROTOCOL],
  [
    "asks for Kerberos",
    "disable",
    [message("R", 7)],
    "the server requires an authentication method that is not supported",
  ],
  [
    "wants channel binding alone",
    "disable",
    [message("R", 10, "SCRAM-SHA-256-PLUS\0\0")],
    "the server requires an authentication method that is not supported",
  ],
  ["breaks off SCRAM with a welcome", "disable", [SCRAM, OK], "the server broke off SCRAM"],
  [
    "does not take up SCRAM's nonce",
    "disable",
    [SCRAM, message("R", 11, "r=other,s=c2FsdA==,i=4096")],
    "the server's side of SCRAM is wrong: its nonce",
  ],
  [
    "ends SCRAM before it began",
    "disable",
    [message("R", 12, "v=AAAA")],
    "the server requires an authentication method that is not supported",
  ],
  [
    "wraps its error in control characters",
    "disable",
    [message("E", "C28000\0M\u001b[31mno\u0007\0\0")],
    " [31mno  (SQLSTATE 28000)",
  ],
  [
    "closes within a row",
    "disable",
    [Buffer.concat([OK, UTF8, READY]), message("D", Buffer.from([0, 9]))],
    "a row of the server is not read",
  ],
  [
    "sends a copy for a query",
    "disable",
    [Buffer.concat([OK, UTF8, READY]), message("H", "\0\0\0")],
    "the server sent a message of an unexpected type",
  ],
  ["never answers a query", "disable", [Buffer.concat([OK, UTF8, READY])], "the server did not respond within 200 ms"],
];

for (const [name, sslMode, responses, expected] of CASES) {
  test(`a server that ${name}: ${expected}`, async () => {
    const { port, heard } = await serve(...responses);
    // Only a server that stays silent takes all of the time.
    const ms = expected.endsWith("within 200 ms") ? 200 : patient(2000);
    expect(await outcome(port, sslMode, ms)).toBe(expected);
    expect(heard()).not.toContain(PASSWORD);
  });
}

test("the error names a server that closes after a request for TLS", async () => {
  const { port } = await serve("close");
  expect(await outcome(port, "require")).toBe("the server closed when it was asked for TLS");
});

test("notices, a cancellation key and parameters may come before a server is ready", async () => {
  const more = [message("N", "Mhello\0\0"), message("K", 1, 2), message("S", "TimeZone\0UTC\0")];
  const row = message("D", Buffer.from([0, 1, 0, 0, 0, 1, 0x31]));
  const response = Buffer.concat([message("1"), message("2"), row, message("C", "SELECT 1\0"), READY]);
  const { port } = await serve(Buffer.concat([OK, ...more, UTF8, READY]), response);
  expect(await outcome(port)).toBe('{"rows":[["1"]],"count":1}');
});

test.each([
  [200, '{"rows":[],"count":0}'],
  [201, NO_PROTOCOL],
])("a server may send 200 messages before it is ready, and one that sends %d: %s", async (count, expected) => {
  const notices = Array<Buffer>(count - 3).fill(message("N", "\0"));
  const { port } = await serve(Buffer.concat([OK, ...notices, UTF8, READY]), DONE);
  expect(await outcome(port, "disable", patient(10_000))).toBe(expected);
});

/** A row of one column. Its message has `bytes` bytes. */
function rowOf(bytes: number): Buffer {
  return message("D", Buffer.from([0, 1]), bytes - 6, Buffer.alloc(bytes - 6, "x"));
}

test.each([
  [0, '"count":8}'],
  [1, "the result is too long"],
])("a result may have 64 MiB, and %d bytes more: ...%s", async (more, expected) => {
  const length = 8 * 1024 * 1024;
  const rows = [...Array<Buffer>(7).fill(rowOf(length)), rowOf(length + more)];
  const response = Buffer.concat([message("1"), message("2"), ...rows, message("C", "SELECT 8\0"), READY]);
  const { port } = await serve(Buffer.concat([OK, UTF8, READY]), response);
  expect((await outcome(port, "disable", 10_000)).slice(-expected.length)).toBe(expected);
});

test("a server that sends endless notices, one by one, is given up", async () => {
  const { port, connections } = await serve();
  const failed = outcome(port, "disable", 20_000);
  await until(() => connections.length === 1);
  const ended = { now: false };
  void failed.then(() => (ended.now = true));
  for (let i = 0; i < 250 && !ended.now; i++) {
    connections[0]?.write(message("N", "\0"));
    await new Promise(setImmediate);
  }
  expect(await failed).toBe(NO_PROTOCOL);
});

test("a connection leaves no timer behind, whatever its outcome was", async () => {
  using timers = watchTimers();
  const { port } = await serve(Buffer.concat([OK, UTF8, READY]), Buffer.concat([message("C", "SELECT 0\0"), READY]));
  expect(await outcome(port, "disable", 7654)).toBe('{"rows":[],"count":0}');
  const { port: refusing } = await serve(message("E", "C28000\0Mno\0\0"));
  expect(await outcome(refusing, "disable", 7654)).toContain("28000");
  expect(timers.pending(7654)).toBe(0);
});

test("a server that closes at once and an unreachable server give different errors", async () => {
  const server = createServer((socket) => socket.destroy());
  const port = await listenOnLoopback(server);
  expect(await outcome(port)).toContain("the connection was lost");
  await new Promise((resolve) => server.close(resolve));
  expect(await outcome(port)).toBe("the server is not reached (ECONNREFUSED)");
});

test("all callers that wait for a silent server get an error in time", async () => {
  const { port } = await serve();
  const target = { host: "127.0.0.1", port, user: "me", database: "db", sslMode: "disable" } as const;
  const pool = new Pool({
    target,
    password: "",
    allowCleartext: false,
    authorities: "",
    statementMs: 300,
    connectMs: 100,
    size: 2,
  });
  const step = { statement: statement("SELECT 1"), values: [] };
  const codes = await Promise.all(
    Array.from({ length: 50 }, () =>
      pool.run(step).catch((error: unknown) => (error instanceof Error && "code" in error ? error.code : error)),
    ),
  );
  expect(new Set(codes)).toEqual(new Set(["timeout"]));
  await pool.close();
  expect(await pool.run(step).catch(String)).toContain("the store is closed");
});

test("when two thousand callers wait, a further one gets an error at once", async () => {
  const { port } = await serve();
  const target = { host: "127.0.0.1", port, user: "me", database: "db", sslMode: "disable" } as const;
  const pool = new Pool({
    target,
    password: "",
    allowCleartext: false,
    authorities: "",
    statementMs: 60_000,
    connectMs: 300,
    size: 1,
  });
  const step = { statement: statement("SELECT 1"), values: [] };
  const waiting = Array.from({ length: 2001 }, () => pool.run(step).catch(String));
  expect(await pool.run(step).catch(String)).toContain("2000 statements wait for a connection");
  for (const text of await Promise.all(waiting)) expect(text).toContain("not ready within 300 ms");
  await pool.close();
});
