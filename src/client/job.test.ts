import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { listenOnLoopback } from "../lib/testing/listen.ts";
import { type Job, Turnpike, TurnpikeProblem } from "./client.ts";
import { Job as BareJob } from "./job.ts";

const STARTED = { id: "j1", secret: "s1", status: "/crawl/j1", results: "/crawl/j1/results" };
const STATE = { id: "j1", state: "completed", delivered: 3 };

type Reply = (request: IncomingMessage, response: ServerResponse) => void;

const asked: string[] = [];
/** The replies to the next requests; the last one stays. */
let replies: Reply[] = [];
const server = createServer((request, response) => {
  asked.push(`${request.method} ${request.url} ${String(request.headers["x-job-secret"])}`);
  (replies.length > 1 ? replies.shift() : replies[0])?.(request, response);
});
let base: string;
const waits: number[] = [];

beforeAll(async () => {
  base = `http://127.0.0.1:${await listenOnLoopback(server)}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  asked.length = 0;
  waits.length = 0;
});

const line = (value: object) => `${JSON.stringify(value)}\n`;
const results = (...numbers: number[]) => numbers.map((number) => line({ number, url: "u", depth: 0 })).join("");
const last = line({ job: STATE });
const sends = (text: string) => (_: IncomingMessage, response: ServerResponse) => void response.end(text);
const afterOf = ({ url = "" }: IncomingMessage) => Number(new URL(url, base).searchParams.get("after"));
const MOST = 8;
/** The requested results and the one before them. */
const from = (after: number, most: number) =>
  results(...Array.from({ length: MOST + 1 }, (_, number) => number).filter((n) => n >= after && n <= most));
/** Sends some results and a part of one, and cuts the connection. */
const breaks = (request: IncomingMessage, response: ServerResponse) => {
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  response.write(`${from(afterOf(request), afterOf(request) + 2)}{"num`, () => response.socket?.destroy());
};
const refuses =
  (status: number, headers = {}) =>
  (_: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(status, headers).end(JSON.stringify({ title: "No" }));

/** A job whose pauses take no time. */
const job = (): Job => new BareJob(STARTED, { base, fetch, now: () => 0, pause: async (ms) => void waits.push(ms) });

async function read(of = job(), after = 0): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { number } of of.results({ after })) numbers.push(number);
  return numbers;
}

test("every result comes once and in order, however often the connection breaks", async () => {
  replies = [
    breaks,
    breaks,
    refuses(503),
    breaks,
    (request, response) => void response.end(from(afterOf(request), MOST) + last),
  ];
  expect(await read()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(asked).toHaveLength(5);
});

test("the iteration returns the last state of the job, and begins after the number that is named", async () => {
  replies = [sends(results(8) + last)];
  const iteration = job().results({ after: 7 });
  expect(await iteration.next()).toMatchObject({ done: false, value: { number: 8 } });
  // The shape of STATE is that of the test.
  expect(await iteration.next()).toEqual({ done: true, value: STATE as never });
  expect(asked).toEqual(["GET /crawl/j1/results?after=7 s1"]);
});

test("requests that bring nothing are repeated ever later, as the gateway asks, and then end in its error", async () => {
  replies = [refuses(503, { "retry-after": "7" })];
  const failure = await read().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(TurnpikeProblem);
  expect(waits).toEqual([7_000, 7_000, 7_000, 7_000, 8_000, 16_000, 30_000]);
  asked.length = 0;
  replies = [sends("")];
  expect(String(await read().catch(String))).toContain("the gateway sends none");
  expect(asked).toHaveLength(8);
});

test.each([[404], [401], [402]])("the error %d is not repeated", async (status) => {
  replies = [refuses(status)];
  expect(await read().catch((error: unknown) => error)).toMatchObject({ status });
  expect(asked).toHaveLength(1);
});

test("a job is asked and cancelled with its secret, which no redirect passes on", async () => {
  const taken = new Turnpike({ url: `${base}/` }).job(STARTED);
  replies = [sends(line(STATE))];
  expect([await taken.state(), await taken.cancel()]).toMatchObject([STATE, STATE]);
  expect(asked).toEqual(["GET /crawl/j1 s1", "DELETE /crawl/j1 s1"]);
  replies = [refuses(307, { location: `${base}/elsewhere` })];
  expect(await taken.state().catch((error: unknown) => error)).toMatchObject({ status: 307 });
  expect(asked.at(-1)).toBe("GET /crawl/j1 s1");
});

test("an iteration that is given up closes its connection, and an aborted one fails", async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  replies = [
    (_, response) => {
      response.on("close", resolve);
      response.write(results(1));
    },
  ];
  for await (const { number } of job()) {
    expect(number).toBe(1);
    break;
  }
  await closed;
  const leaving = new AbortController();
  const iteration = job().results({ signal: leaving.signal });
  await iteration.next();
  leaving.abort();
  expect(await iteration.next().catch((error: unknown) => error)).toMatchObject({ name: "AbortError" });
});
