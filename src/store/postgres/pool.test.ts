import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { once } from "node:events";
import { patient } from "../../lib/testing/patience.ts";
import { watchTimers } from "../../lib/testing/timers.ts";
import { until } from "../../lib/testing/until.ts";
import { closeServers, DONE, message, READY, serve, serveEach, WELCOME } from "../testing/scripted-postgres.ts";
import { type Connection, statement } from "./connection.ts";
import { Pool } from "./pool.ts";
import { PostgresError } from "./postgres-error.ts";

setDefaultTimeout(patient(20_000));
afterEach(closeServers);

const STEP = { statement: statement("SELECT 1"), values: [] };
const RESPONSES = [WELCOME, ...Array<Buffer>(20).fill(DONE)];
/** A time that no other timer uses. */
const STATEMENT_MS = 54_321;

function poolAt(
  port: number,
  size: number,
  prepare?: (connection: Connection) => Promise<void>,
  clock?: () => number,
): Pool {
  const target = { host: "127.0.0.1", port, user: "me", database: "db", sslMode: "disable" } as const;
  const rest = { password: "", allowCleartext: false, authorities: "", statementMs: STATEMENT_MS };
  return new Pool({ target, ...rest, size }, prepare, clock);
}

/** Work that keeps a connection until it is released. */
function holding(pool: Pool): { has: Promise<void>; letGo: () => void; done: Promise<void> } {
  const [has, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const done = pool.session(async () => {
    has.resolve();
    await end.promise;
  });
  return { has: has.promise, letGo: end.resolve, done };
}

test("a connection serves one caller at a time, and the pool opens as many as allowed", async () => {
  const { port, connections } = await serve(...RESPONSES);
  const pool = poolAt(port, 2, undefined, () => 0);
  for (let i = 0; i < 3; i++) await pool.run(STEP);
  expect(connections).toHaveLength(1);
  const held = [holding(pool), holding(pool)];
  await Promise.all(held.map(({ has }) => has));
  expect(connections).toHaveLength(2);
  using timers = watchTimers();
  const waiting = pool.run(STEP);
  await until(() => timers.pending(STATEMENT_MS) === 1);
  for (const { letGo } of held) letGo();
  await Promise.all([waiting, ...held.map(({ done }) => done)]);
  expect(connections).toHaveLength(2);
  expect(timers.pending(STATEMENT_MS)).toBe(0);
  await pool.close();
});

test("a connection that ended while it was idle is not used", async () => {
  const { port, connections } = await serve(...RESPONSES);
  const pool = poolAt(port, 1);
  await pool.run(STEP);
  const [first] = connections;
  first?.end();
  if (first?.closed === false) await once(first, "close");
  await pool.run(STEP);
  expect(connections).toHaveLength(2);
  await pool.close();
});

test("when one idle connection ends, the others are still used", async () => {
  const { port, connections } = await serve(...RESPONSES);
  const pool = poolAt(port, 2);
  const held = [holding(pool), holding(pool)];
  await Promise.all(held.map(({ has }) => has));
  for (const { letGo } of held) letGo();
  await Promise.all(held.map(({ done }) => done));
  const [first] = connections;
  first?.end();
  if (first?.closed === false) await once(first, "close");
  await pool.run(STEP);
  expect(connections).toHaveLength(2);
  await pool.close();
});

test("a transaction that is left open ends its connection, and the next caller gets another one", async () => {
  const left = Buffer.concat([message("C", "BEGIN\0"), message("Z", "T")]);
  const { port, connections } = await serveEach((i) => (i === 0 ? [WELCOME, left] : RESPONSES));
  const pool = poolAt(port, 1);
  const begun = pool.run({ statement: statement("BEGIN"), values: [] });
  const next = pool.run(STEP);
  await begun;
  expect((await next).count).toBe(0);
  expect(connections).toHaveLength(2);
  await pool.close();
});

test("a caller that waits for too long gets an error, and the callers behind it are served", async () => {
  const { port } = await serve(...RESPONSES);
  const pool = poolAt(port, 1);
  const held = holding(pool);
  await held.has;
  let starts = 0;
  const impatient = { now: true };
  using timers = watchTimers((ms) => {
    if (ms === STATEMENT_MS) starts++;
    return ms === STATEMENT_MS && impatient.now ? 0 : ms;
  });
  const late = pool.run(STEP).catch(String);
  await until(() => starts === 1);
  impatient.now = false;
  const patientOne = pool.run(STEP);
  expect(await late).toContain(`no connection was free within ${STATEMENT_MS} ms`);
  expect(timers.pending(STATEMENT_MS)).toBe(1);
  held.letGo();
  await held.done;
  // The connection has gone to the caller behind.
  expect(timers.pending(STATEMENT_MS)).toBe(0);
  expect((await patientOne).count).toBe(0);
  expect(timers.pending(STATEMENT_MS)).toBe(0);
  await pool.close();
});

test("a connection is prepared once, and is closed if that fails", async () => {
  const { port, connections } = await serve(...RESPONSES);
  let prepared = 0;
  const pool = poolAt(port, 1, async (connection) => {
    prepared++;
    if (prepared === 1) throw new Error("not now");
    await connection.run([STEP], 1000);
  });
  expect(await pool.run(STEP).catch(String)).toContain("not now");
  if (connections[0]?.closed === false) await once(connections[0], "close");
  await pool.run(STEP);
  await pool.run(STEP);
  expect([prepared, connections.length]).toEqual([2, 2]);
  await pool.close();
});

test("if the server refuses further connections, callers share the open one, and the pool tries again a second later", async () => {
  const { port, connections } = await serveEach((i) => (i === 1 ? [message("E", "C53300\0Mfull\0\0")] : RESPONSES));
  let now = 5000;
  const pool = poolAt(port, 3, undefined, () => now);
  const held = holding(pool);
  await held.has;
  using timers = watchTimers();
  const second = pool.run(STEP);
  await until(() => timers.pending(STATEMENT_MS) === 1);
  now += 999;
  const third = pool.run(STEP);
  await until(() => timers.pending(STATEMENT_MS) === 2);
  expect(connections).toHaveLength(2);
  now += 1;
  await pool.run(STEP);
  expect(connections).toHaveLength(3);
  held.letGo();
  await Promise.all([second, third]);
  expect(connections).toHaveLength(3);
  await pool.close();
});

test("callers that wait while another connection is refused are served by the open ones", async () => {
  const { port, connections } = await serveEach((i) => (i === 0 ? RESPONSES : []));
  const pool = poolAt(port, 2);
  const held = holding(pool);
  await held.has;
  using timers = watchTimers();
  const second = pool.run(STEP);
  await until(() => connections.length === 2);
  const third = pool.run(STEP);
  await until(() => timers.pending(STATEMENT_MS) === 1);
  connections[1]?.write(message("E", "C53300\0Mfull\0\0"));
  await until(() => timers.pending(STATEMENT_MS) === 2);
  held.letGo();
  expect([(await second).count, (await third).count]).toEqual([0, 0]);
  await pool.close();
});

test("a connection runs one thing at a time, and ends the session properly", async () => {
  const { port, heard } = await serve(...RESPONSES);
  const pool = poolAt(port, 1);
  await pool.session(async (connection) => {
    const first = connection.run([STEP], 1000);
    expect(await connection.run([STEP], 1000).catch(String)).toContain("the connection is not free");
    await first;
  });
  await pool.close();
  await until(() => heard().endsWith("X\0\0\0\u0004"));
});

test("when the pool closes, waiting callers are refused, and running work is completed", async () => {
  const { port, connections } = await serve(...RESPONSES);
  const pool = poolAt(port, 1);
  const held = holding(pool);
  await held.has;
  using timers = watchTimers();
  const waiting = pool.run(STEP).catch(String);
  await until(() => timers.pending(STATEMENT_MS) === 1);
  let closed = false;
  const closing = pool.close().then(() => (closed = true));
  expect(await waiting).toContain("the store is closed");
  expect(timers.pending(STATEMENT_MS)).toBe(0);
  expect(closed).toBe(false);
  held.letGo();
  await Promise.all([held.done, closing]);
  if (connections[0]?.closed === false) await once(connections[0], "close");
  expect(await pool.run(STEP).catch(String)).toContain("the store is closed");
});

test("a pool that closes ends its idle connections, and one that is being opened", async () => {
  const { port, connections } = await serveEach((i) => (i === 0 ? RESPONSES : []));
  const pool = poolAt(port, 2);
  const held = holding(pool);
  await held.has;
  const opening = pool.run(STEP).catch(String);
  await until(() => connections.length === 2);
  held.letGo();
  await held.done;
  await pool.close();
  connections[1]?.write(WELCOME);
  expect(await opening).toContain("the store is closed");
  for (const socket of connections) if (!socket.closed) await once(socket, "close");
});

test("if a server does not become ready again, all waiting callers are refused", async () => {
  const { port } = await serve(message("E", "C57P03\0Mstarting\0\0"));
  const pool = poolAt(port, 1);
  const outcomes = await Promise.all([pool.run(STEP), pool.run(STEP), pool.run(STEP)].map((run) => run.catch(String)));
  for (const outcome of outcomes) expect(outcome).toContain("57P03");
  await pool.close();
});

test("an error of the database names its place, and another error of the work is passed on as it is", async () => {
  const { port } = await serveEach((i) => (i === 0 ? [message("E", "C57P03\0Mstarting\0\0")] : RESPONSES));
  const pool = poolAt(port, 1);
  const error: unknown = await pool.run(STEP).catch((reason: unknown) => reason);
  expect(error instanceof PostgresError && error.publicText).toBe(`at 127.0.0.1:${port}: starting (SQLSTATE 57P03)`);
  const own = Object.freeze(new Error("of the work"));
  expect(await pool.session(() => Promise.reject(own)).catch((reason: unknown) => reason)).toBe(own);
  await pool.close();
});

test("a result that makes the server useless ends the connection", async () => {
  const readOnly = Buffer.concat([message("E", "C25006\0Mread only\0\0"), READY]);
  const { port, connections } = await serveEach((i) => (i === 0 ? [WELCOME, readOnly] : RESPONSES));
  const pool = poolAt(port, 1);
  expect(await pool.run(STEP).catch(String)).toContain("25006");
  await pool.run(STEP);
  expect(connections).toHaveLength(2);
  await pool.close();
});

test("an idle connection whose server reports an error and closes is dropped at once", async () => {
  const { port, connections } = await serve(...RESPONSES);
  const pool = poolAt(port, 1);
  await pool.run(STEP);
  const [first] = connections;
  first?.write(Buffer.concat([message("N", "\0"), message("E", "C57P01\0Mstops\0\0")]));
  if (first?.closed === false) await once(first, "close");
  await pool.run(STEP);
  expect(connections).toHaveLength(2);
  await pool.close();
});
