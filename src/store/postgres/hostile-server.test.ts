import { afterEach, expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import { listenOnLoopback } from "../../lib/testing/listen.ts";
import { Connection, statement } from "./connection.ts";
import { Pool } from "./pool.ts";
import { type SslMode } from "./target.ts";

const servers: Server[] = [];
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) server.close();
});

/** A server that sends one of `answers` for each piece that comes; what comes is kept. */
async function serve(...answers: readonly (Buffer | string)[]): Promise<{ port: number; heard: () => string }> {
  let heard = "";
  const server = createServer((socket) => {
    sockets.push(socket);
    const left = [...answers];
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      heard += chunk.toString("latin1");
      const answer = left.shift();
      if (answer !== undefined) socket.write(answer);
    });
  });
  servers.push(server);
  return { port: await listenOnLoopback(server), heard: () => heard };
}

function message(type: string, ...parts: readonly (Buffer | string | number)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => {
      if (typeof part !== "number") return Buffer.from(part);
      const bytes = Buffer.alloc(4);
      bytes.writeInt32BE(part);
      return bytes;
    }),
  );
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const OK = message("R", 0);
const UTF8 = message("S", "server_encoding\0UTF8\0");
const READY = message("Z", "I");
const SCRAM = message("R", 10, "SCRAM-SHA-256\0\0");
const PASSWORD = "correct horse";

async function outcome(port: number, sslMode: SslMode = "disable"): Promise<string> {
  const target = { host: "127.0.0.1", port, user: "me", database: "db", sslMode };
  try {
    const connection = await Connection.open({
      target,
      password: PASSWORD,
      allowCleartext: false,
      authorities: "",
      statementMs: 200,
      connectMs: 200,
    });
    const rows = await connection.run([{ statement: statement("SELECT 1"), values: [] }], 200);
    connection.close();
    return JSON.stringify(rows);
  } catch (error) {
    return String(error).replace("PostgresError: Cannot use the database: ", "");
  }
}

const NO_PROTOCOL = "what answers does not speak PostgreSQL's protocol";

const CASES: readonly [name: string, sslMode: SslMode, answers: (Buffer | string)[], expected: string][] = [
  ["does not offer the TLS that is wanted", "require", ["N"], "the server does not offer TLS"],
  ["slips in plaintext behind its yes to TLS", "require", [Buffer.concat([Buffer.from("S"), OK])], NO_PROTOCOL],
  ["answers TLS with an error", "verify-full", [message("E", "Mno\0\0")], NO_PROTOCOL],
  ["says nothing", "disable", [], "the server is not ready within 200 ms"],
  ["says nothing to the wish for TLS", "require", [], "the server is not ready within 200 ms"],
  ["is no database", "disable", ["HTTP/1.1 400 Bad Request\r\n\r\n"], NO_PROTOCOL],
  ["names a message of 2 GiB", "disable", [Buffer.from([0x52, 0x7f, 0xff, 0xff, 0xff])], NO_PROTOCOL],
  ["names a message shorter than its length", "disable", [Buffer.from([0x52, 0, 0, 0, 3])], NO_PROTOCOL],
  ["is ready before it let anybody in", "disable", [Buffer.concat([UTF8, READY])], NO_PROTOCOL],
  ["sends notices without end", "disable", [Buffer.concat(Array(300).fill(message("N", "\0")))], NO_PROTOCOL],
  ["asks for Kerberos", "disable", [message("R", 7)], "the server wants an authentication that is not spoken here"],
  [
    "wants channel binding alone",
    "disable",
    [message("R", 10, "SCRAM-SHA-256-PLUS\0\0")],
    "the server wants an authentication that is not spoken here",
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
    "the server wants an authentication that is not spoken here",
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
    "the server's answer is not read",
  ],
  ["never answers a query", "disable", [Buffer.concat([OK, UTF8, READY])], "the server did not answer within 200 ms"],
];

for (const [name, sslMode, answers, expected] of CASES) {
  test(`a server that ${name}: ${expected}`, async () => {
    const { port, heard } = await serve(...answers);
    expect(await outcome(port, sslMode)).toBe(expected);
    expect(heard()).not.toContain(PASSWORD);
  });
}

test("a server that closes at once, and one that is not there, are told apart", async () => {
  const server = createServer((socket) => socket.destroy());
  servers.push(server);
  const port = await listenOnLoopback(server);
  expect(await outcome(port)).toContain("the connection was lost");
  await new Promise((resolve) => server.close(resolve));
  expect(await outcome(port)).toBe("the server is not reached (ECONNREFUSED)");
});

test("who waits behind a server that does not answer is told in time, all of them", async () => {
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

test("beyond two thousand that wait, one more is told so at once", async () => {
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
