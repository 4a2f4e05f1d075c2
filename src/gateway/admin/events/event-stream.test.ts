import { afterEach, expect, test } from "bun:test";
import { watchTimers } from "../../../lib/testing/timers.ts";
import { until } from "../../../lib/testing/until.ts";
import { EventLog, MAX_READERS } from "./event-log.ts";
import { eventStream, parseEventId } from "./event-stream.ts";

const MAX_EVENTS = 1000;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function serve(log: EventLog): string {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch(request) {
      const since = parseEventId(new URL(request.url).searchParams.get("since") ?? "");
      const body = eventStream(log, since);
      return body === undefined
        ? new Response("", { status: 503 })
        : new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
  ends.push(() => server.stop(true));
  return server.url.href;
}

interface Client {
  readonly text: () => string;
  readonly messages: () => { id: number; event: string; data: Record<string, unknown> }[];
  readonly isOver: () => boolean;
  readonly leave: () => void;
}

async function read(url: string): Promise<Client> {
  const leaving = new AbortController();
  ends.push(() => leaving.abort());
  const response = await fetch(url, { signal: leaving.signal });
  let text = "";
  let isOver = false;
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
    isOver = true;
  })().catch(() => {});
  const messages = (): { id: number; event: string; data: Record<string, unknown> }[] =>
    [...text.matchAll(/^id: (\d+)\nevent: (\w+)\ndata: (.*)\n\n/gm)].map(([, id, event = "", data = ""]) => ({
      id: Number(id),
      event,
      data: JSON.parse(data),
    }));
  return { text: () => text, messages, isOver: () => isOver, leave: () => leaving.abort() };
}

test("a client gets events as they happen, and with `since` those that it has missed", async () => {
  const log = new EventLog();
  const url = serve(log);
  log.add({ kind: "reload", message: "before" });
  const early = await read(url);
  await until(() => early.text().startsWith("retry: "));
  log.add({ kind: "drain", message: "one" });
  log.addLine("two", 1);
  await until(() => early.messages().length === 2);
  expect(early.messages().map(({ event, data }) => [event, data["message"]])).toEqual([
    ["drain", "one"],
    ["log", "two"],
  ]);
  const [first] = early.messages();
  expect(first?.data["id"]).toBe(first?.id);
  const again = await read(`${url}?since=${first?.id}`);
  await until(() => again.messages().length === 1);
  expect(again.messages()[0]?.data["message"]).toBe("two");
  const all = await read(`${url}?since=0`);
  await until(() => all.messages().length === 3);
});

test("a client that reconnects too late learns how many events it has lost, and gets the rest", async () => {
  const log = new EventLog();
  const url = serve(log);
  log.add({ kind: "reload", message: "known" });
  const known = log.lastId;
  for (let i = 0; i < MAX_EVENTS + 40; i++) log.add({ kind: "reload", message: `${i}` });
  const client = await read(`${url}?since=${known}`);
  await until(() => client.messages().length === MAX_EVENTS + 1);
  const [lost, next] = client.messages();
  expect(lost).toMatchObject({ event: "lost", data: { lost: 40, kind: "lost" } });
  expect(next).toMatchObject({ event: "reload", data: { message: "40" } });
  expect((next?.id ?? 0) - (lost?.id ?? 0)).toBe(1);
});

/** Bytes in use after a garbage collection, because other tests of this process leave garbage. */
function heldBytes(): number {
  Bun.gc(true);
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

test("a client that does not read costs no memory, and learns its losses when it reads again", async () => {
  const log = new EventLog();
  const { hostname, port } = new URL(serve(log));
  let text = "";
  const decoder = new TextDecoder();
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: { data: (_, bytes) => void (text += decoder.decode(bytes, { stream: true })) },
  });
  ends.push(() => socket.terminate());
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await until(() => text.includes("retry: "));
  socket.pause();
  // More than the system's buffers on both sides hold.
  const filler = "f".repeat(1900);
  for (let round = 0; round < 200; round++) {
    for (let i = 0; i < 100; i++) log.add({ kind: "drain", message: filler });
    await Bun.sleep(1);
  }
  const before = heldBytes();
  for (let i = 0; i < 100_000; i++) log.add({ kind: "drain", message: filler });
  // By then, all data for the client is in the buffers.
  await Bun.sleep(100);
  // A tenth of the size of all events.
  expect(heldBytes() - before).toBeLessThan(20 * 1024 * 1024);
  log.add({ kind: "persist", message: "the last" });
  socket.resume();
  await until(() => text.includes("the last"), 20_000);
  expect(text).toContain("event: lost\n");
  const lost = [...text.matchAll(/"lost":(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  const came = text.split("event: drain\n").length - 1;
  expect(came + lost).toBe(120_000);
});

test("of 40 readers 32 are served and 8 refused, and a reader that leaves makes room", async () => {
  const log = new EventLog();
  const url = serve(log);
  const clients = await Promise.all(Array.from({ length: MAX_READERS }, () => read(url)));
  const refused = await Promise.all(Array.from({ length: 8 }, () => fetch(url)));
  expect(refused.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 503));
  log.add({ kind: "worker", message: "to all" });
  await until(() => clients.every((client) => client.messages().length === 1));
  clients[0]?.leave();
  await until(async () => {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
    ends.push(() => response.body?.cancel());
    return response.status === 200;
  });
});

test("when the log is closed, clients get the remaining events and the stream ends", async () => {
  const log = new EventLog();
  const client = await read(serve(log));
  await until(() => client.text() !== "");
  log.add({ kind: "worker", message: "the end" });
  log.close();
  await until(() => client.isOver());
  expect(client.messages().map(({ data }) => data["message"])).toEqual(["the end"]);
});

test("a body that is never read does not stay a reader", async () => {
  const log = new EventLog();
  for (let i = 0; i < MAX_READERS; i++) eventStream(log, 0, { aliveMs: 1000, beginMs: 50 });
  expect(eventStream(log)).toBeUndefined();
  await until(() => eventStream(log) !== undefined);
});

test("without events a comment line comes now and then, and it does not delay an event", async () => {
  const log = new EventLog();
  const stream = eventStream(log, log.lastId, { aliveMs: 20, beginMs: 5000 });
  const reader = stream?.pipeThrough(new TextDecoderStream()).getReader();
  const pieces: string[] = [];
  for (let i = 0; i < 4; i++) pieces.push((await reader?.read())?.value ?? "");
  expect(pieces).toEqual(["retry: 2000\n\n", ": alive\n\n", ": alive\n\n", ": alive\n\n"]);
  log.add({ kind: "worker", message: "now" });
  await until(async () => ((await reader?.read())?.value ?? "").includes('"now"'));
  await reader?.cancel();
});

test("a client has five seconds to begin, and gets a comment line after fifteen seconds of silence", async () => {
  using timers = watchTimers();
  const stream = eventStream(new EventLog());
  expect(timers.pending(5000)).toBe(1);
  const reader = stream?.getReader();
  await reader?.read();
  expect(timers.pending(5000)).toBe(0);
  void reader?.read();
  await until(() => timers.pending(15_000) === 1);
  await reader?.cancel();
  await until(() => timers.pending(15_000) === 0);
});

test("an event id is a whole number", () => {
  expect(["0", "1795000000000001", "", "-1", "1.5", "1e3", "9".repeat(17), "abc"].map(parseEventId)).toEqual([
    0,
    1_795_000_000_000_001,
    ...Array.from({ length: 6 }, () => undefined),
  ]);
});
