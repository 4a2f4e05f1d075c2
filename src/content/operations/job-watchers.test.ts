import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { until } from "../../lib/testing/until.ts";
import { createApp } from "../app.ts";
import { unknownPrices } from "../api/price-list.ts";
import { isEnd, type JobEvent } from "../jobs/job-events.ts";
import { JobFeeds } from "../jobs/job-feeds.ts";
import { type AddedJob } from "../jobs/jobs.ts";
import { localJobs, type MakePage } from "../jobs/testing/local-jobs.ts";
import { serve } from "../listen.ts";
import { TextSocket } from "../text-socket.ts";
import { type Services } from "./operation.ts";

setDefaultTimeout(patient(20_000));

/** A chain of three pages. */
const page: MakePage = (path) => ({ content: `The page ${path}`, links: path.length < 4 ? [`${path}x`] : [] });

let at: ReturnType<typeof localJobs>;
let server: Awaited<ReturnType<typeof serve>>;
let origin: string;

beforeAll(async () => {
  at = localJobs(page);
  // These requests use the jobs alone.
  const app = createApp({ jobs: at.jobs } as unknown as Services, { prices: unknownPrices });
  server = await serve({ hostname: "127.0.0.1", port: 0 }, app, undefined);
  origin = `http://127.0.0.1:${server.port}`;
});
afterAll(async () => {
  await server.stop(true);
  await at[Symbol.asyncDispose]();
});

interface Told {
  readonly number: number;
  readonly type: string;
  readonly job: string;
  readonly data: Readonly<Record<string, unknown>>;
}

function ask(job: AddedJob, query = "", headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${origin}/crawl/${job.id}/events${query}`, { headers: { "x-job-secret": job.secret, ...headers } });
}

const asStream = (job: AddedJob, headers: Record<string, string> = {}) =>
  ask(job, "", { accept: "text/event-stream", ...headers });

const dataOf = (text: string) => [...text.matchAll(/^data: (.+)$/gm)].map(([, json = ""]) => JSON.parse(json) as Told);

test("an event stream has the start, each result, and the end, each with its number, and goes on where it was left", async () => {
  const job = await at.add("/a");
  const response = await asStream(job);
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const text = await response.text();
  expect(text.startsWith("retry: 1000\n\nid: 0\nevent: started\n")).toBe(true);
  const events = dataOf(text);
  expect(events.map(({ number, type }) => [number, type])).toEqual([
    [0, "started"],
    [1, "page"],
    [2, "page"],
    [3, "page"],
    [4, "completed"],
  ]);
  expect(events[0]?.data).toMatchObject({ limit: 100 });
  expect(events[2]).toMatchObject({ job: job.id, data: { number: 2, content: "The page /ax" } });
  expect(events[4]?.data).toMatchObject({ id: job.id, state: "completed", delivered: 3 });
  const rest = dataOf(await (await asStream(job, { "last-event-id": "2" })).text());
  expect(rest).toEqual(events.slice(3));
  const over = await asStream(job, { "last-event-id": "4" });
  expect([over.status, await over.text()]).toEqual([204, ""]);
});

test("events are replayed in pieces, and the next one is named only if it is there", async () => {
  const job = await at.add("/a");
  await at.ended(job.id);
  const read = async (query: string) => (await (await ask(job, query)).json()) as { events: Told[]; next?: number };
  const first = await read("?count=2");
  expect([first.events.map(({ type }) => type), first.next]).toEqual([["started", "page", "page"], 2]);
  const rest = await read("?after=2");
  expect([rest.events.map(({ type }) => type), rest.next]).toEqual([["page"], 3]);
  expect((await read("?after=3")).events).toMatchObject([{ number: 4, type: "completed" }]);
  expect(await read("?after=4")).toMatchObject({ state: "completed", events: [] });
  expect((await ask(job, "?after=x")).status).toBe(400);
  expect((await ask({ ...job, secret: "another" })).status).toBe(404);
});

/** The messages of a WebSocket, and how it was closed. */
async function listen(job: AddedJob, query = "") {
  const url = `${origin.replace("http", "ws")}/crawl/${job.id}/events${query}`;
  const socket = new WebSocket(url, ["turnpike.job", `turnpike.secret.${job.secret}`]);
  const texts: string[] = [];
  socket.addEventListener("message", ({ data }) => texts.push(String(data)));
  const { code, reason } = await new Promise<CloseEvent>((resolve) => socket.addEventListener("close", resolve));
  return { events: texts.map((text) => JSON.parse(text) as Told), code, reason, protocol: socket.protocol };
}

test("a WebSocket has the same messages, takes the secret as a subprotocol, and never repeats it", async () => {
  const job = await at.add("/a");
  const { events, code, reason, protocol } = await listen(job);
  expect(events.map(({ number }) => number)).toEqual([0, 1, 2, 3, 4]);
  expect([code, reason, protocol]).toEqual([1000, "end", "turnpike.job"]);
  expect(events).toEqual(dataOf(await (await asStream(job)).text()));
  expect((await listen(job, "?after=3")).events).toMatchObject([{ type: "completed" }]);
  const refused = await listen({ ...job, secret: "another" });
  expect([refused.events, refused.code]).toEqual([[], 1006]);
  const plain = await ask(job, "", { upgrade: "websocket", connection: "upgrade" });
  expect(plain.status).toBe(400);
});

test("watchers of one job share one look at it and one read of its new results, and are bounded", async () => {
  const job = await at.add("/a", { delay: 1 });
  const seen = { again: 0, events: 0 };
  const feeds = new JobFeeds({
    again(one) {
      seen.again += 1;
      return at.jobs.again(one);
    },
    events(one, after, count) {
      seen.events += 1;
      return at.jobs.events(one, after, count);
    },
  });
  const found = await at.store.find(job.id);
  if (found === undefined) throw new Error("the job is not there");
  const gone = new AbortController();
  const watch = () => feeds.watch(found, -1, gone.signal);
  const watchers = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const events: JobEvent[] = [];
      for await (const piece of watch()) events.push(...piece);
      return events;
    }),
  );
  for (const events of watchers) expect(events.map(({ number }) => number)).toEqual([0, 1, 2, 3, 4]);
  // Each of the 100 alone would read five times.
  expect(seen.events).toBeLessThan(100);
  expect(seen.again).toBeLessThan(100);
  const idle = Array.from({ length: 100 }, () => feeds.watch(found, 100, gone.signal));
  expect(watch).toThrow("too many clients watch already");
  feeds.close();
  expect(watch).not.toThrow("too many");
  for (const one of idle) expect(await one.next()).toEqual({ done: true, value: undefined });
});

async function* twoTexts(): AsyncGenerator<string, boolean> {
  yield "one";
  yield "two";
  return true;
}

/** The result of `send` if the client does not read. */
const unread = (): number => -1;

test("a client that does not read is disconnected with a reason", async () => {
  const closed: unknown[] = [];
  const socket = new TextSocket({ texts: twoTexts(), protocol: undefined, close: () => undefined }, 1);
  await socket.run({ send: unread, close: (...reason) => void closed.push(reason) });
  expect(closed).toEqual([[1013, "reads too slowly"]]);
});

test("a stop of the service ends all watchers without an event of the end", async () => {
  await using own = localJobs(page);
  const app = createApp({ jobs: own.jobs } as unknown as Services, { prices: unknownPrices });
  const other = await serve({ hostname: "127.0.0.1", port: 0 }, app, undefined);
  const job = await own.add("/a", { delay: 60 });
  const response = await fetch(`http://127.0.0.1:${other.port}/crawl/${job.id}/events`, {
    headers: { "x-job-secret": job.secret, accept: "text/event-stream" },
  });
  const text = response.text();
  await until(() => other.pendingRequests === 1);
  own.jobs.close();
  expect(dataOf(await text).some(({ type }) => isEnd({ number: 0, data: "", type: type as "started" }))).toBe(false);
  await other.stop(true);
});
