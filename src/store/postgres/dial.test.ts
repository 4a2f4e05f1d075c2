import { afterEach, expect, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { until } from "../../lib/testing/until.ts";
import { within } from "../../lib/time/within.ts";
import { closeServers, serve } from "../testing/scripted-postgres.ts";
import { type Attempt, dial } from "./dial.ts";
import { type SslMode } from "./target.ts";

afterEach(closeServers);

/** A caller waits for seconds for a server that does not respond. These servers respond at once. */
const SOON_MS = patient(1000);

async function outcome(port: number, sslMode: SslMode, host = "127.0.0.1"): Promise<string> {
  const attempt: Attempt = { socket: undefined };
  const target = { host, port, user: "me", database: "db", sslMode } as const;
  const dialled = dial(target, "", attempt).then(() => "open", String);
  const told = await within(SOON_MS, dialled, () => "no result in time");
  attempt.socket?.destroy();
  return told.replace("PostgresError: Cannot use the database: ", "");
}

test("a socket without TLS is open at once, and sends nothing by itself", async () => {
  const { port, heard } = await serve("never");
  expect([await outcome(port, "disable"), heard()]).toEqual(["open", ""]);
});

test("an open socket has no listener for its close, and a later error ends only itself", async () => {
  const { port, connections } = await serve();
  const attempt: Attempt = { socket: undefined };
  const target = { host: "127.0.0.1", port, user: "me", database: "db", sslMode: "disable" } as const;
  const socket = await within(SOON_MS, dial(target, "", attempt));
  expect(socket).toBe(attempt.socket);
  expect(socket?.listenerCount("close")).toBe(0);
  socket?.destroy(new Error("reset by peer"));
  await until(() => connections[0]?.destroyed === true);
});

test.each([
  ["closes", ["close"], "the server closed when it was asked for TLS"],
  ["does not offer it", ["N"], "the server does not offer TLS; sslmode=disable in its URL connects without"],
  ["sends more than its consent", ["SS"], "the peer does not speak PostgreSQL's protocol"],
  ["sends something else", ["E"], "the peer does not speak PostgreSQL's protocol"],
  ["consents, and closes", ["S", "close"], "TLS failed ("],
] as const)("a server that is asked for TLS and %s is an error at once", async (_what, responses, expected) => {
  const { port, heard } = await serve(...responses);
  expect(await outcome(port, "require")).toStartWith(expected);
  expect(heard()).toStartWith("\0\0\0\b\u0004\u00d2\u0016/");
});

test.each([
  ["localhost", true],
  ["127.0.0.1", false],
])("a server at %s is asked for its name in TLS: %p", async (host, isNamed) => {
  const { port, heard } = await serve("S", "close");
  expect(await outcome(port, "require", host)).toStartWith("TLS failed (");
  // The ClientHello is not encrypted.
  expect(heard().includes(host)).toBe(isNamed);
});

test("a port without a server is an error with its code", async () => {
  const { port } = await serve();
  closeServers();
  expect(await outcome(port, "disable")).toBe("the server is not reached (ECONNREFUSED)");
});
