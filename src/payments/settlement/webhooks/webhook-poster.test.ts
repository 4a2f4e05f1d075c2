import { afterEach, beforeEach, expect, setDefaultTimeout, spyOn, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { watchTimers } from "../../../lib/testing/timers.ts";
import { until } from "../../../lib/testing/until.ts";
import { openStore } from "../../../store/open/open-store.ts";
import { NOTICE_LEASE_MS } from "../../../store/outbox.ts";
import { type Store } from "../../../store/store.ts";
import { RESERVATION } from "../../../store/testing/reservation.ts";
import { OutboxPoster, type PosterOptions, retryDelayMs } from "./webhook-poster.ts";
import { WebhookReceiver } from "../../testing/webhook-receiver.ts";
import { patient } from "../../../lib/testing/patience.ts";

// On a busy machine, processes start slowly.
setDefaultTimeout(patient(30_000));

const SECRET = Buffer.from("a secret that is long enough");
const DAY_MS = 86_400_000;

let folder: string;
let clock: { now: number };
let store: Store;
let receiver: WebhookReceiver;
let logged: string[];
let counted: Record<string, number>;
let waiting: number;
const posters: OutboxPoster[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-outbox-"));
  clock = { now: Date.now() };
  store = openStore(join(folder, "state.db"), () => clock.now);
  receiver = new WebhookReceiver(SECRET);
  logged = [];
  counted = { posted: 0, failed: 0, dropped: 0 };
  waiting = 0;
});

afterEach(async () => {
  for (const poster of posters.splice(0)) await poster.close();
  await receiver.stop();
  await store.close();
  rmSync(folder, { recursive: true });
});

function createPoster(options: Partial<PosterOptions> = {}): OutboxPoster {
  const poster = new OutboxPoster({
    outbox: store.outbox,
    secrets: () => [SECRET],
    clock: () => clock.now,
    steady: () => clock.now,
    random: () => 1,
    log: (message) => logged.push(message),
    watcher: {
      ended: (result, count) => void (counted[result] = (counted[result] ?? 0) + count),
      waiting: (count) => void (waiting = count),
    },
    ...options,
  });
  posters.push(poster);
  return poster;
}

async function settle(id: string, url = receiver.url): Promise<void> {
  const { payment } = await store.ledger.reserve({ ...RESERVATION, nonce: id });
  await store.ledger.move(payment, { state: "settled", lease: false, notice: { id, url, body: `{"record":"${id}"}` } });
}

test("each record is posted once, signed, and then deleted", async () => {
  for (let i = 0; i < 20; i++) await settle(`id-${i}`);
  expect(await createPoster().round()).toBe(20);
  expect(receiver.received.map(({ id }) => id).toSorted()).toEqual(
    Array.from({ length: 20 }, (_, i) => `id-${i}`).toSorted(),
  );
  expect(receiver.received.every(({ id, body, isGenuine }) => isGenuine && body === `{"record":"${id}"}`)).toBe(true);
  // Receivers refuse a post whose time is not near their own.
  const timestamps = new Set(receiver.received.map(({ timestamp }) => timestamp));
  expect(timestamps).toEqual(new Set([String(Math.floor(clock.now / 1000))]));
  expect(await store.outbox.size()).toBe(0);
  expect(await createPoster().round()).toBe(0);
  expect(counted).toEqual({ posted: 20, failed: 0, dropped: 0 });
});

test("a record counts as posted when the store has deleted it", async () => {
  await settle("a");
  using done = spyOn(store.outbox, "done").mockRejectedValue(new Error("the disk is full"));
  expect(await createPoster().round()).toBe(0);
  expect([receiver.received.length, done.mock.calls.length, counted["posted"]]).toEqual([1, 1, 0]);
});

test("a record that is settled while the poster runs is posted without a call", async () => {
  createPoster({ clock: Date.now }).start();
  await settle("late");
  await until(() => receiver.received.length === 1);
  expect(receiver.received[0]?.id).toBe("late");
});

test("during a change of secrets, each secret signs, and the receiver knows one of them", async () => {
  await settle("a");
  await createPoster({ secrets: () => [Buffer.from("the next secret, which no receiver knows yet"), SECRET] }).round();
  expect(receiver.received).toMatchObject([{ isGenuine: true }]);
});

test("several posters on one outbox post each record once", async () => {
  const other = openStore(join(folder, "state.db"), () => clock.now);
  for (let i = 0; i < 30; i++) await settle(`id-${i}`);
  await Promise.all([createPoster().round(), createPoster({ outbox: other.outbox }).round()]);
  expect(receiver.received).toHaveLength(30);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(30);
  await other.close();
});

const REFUSALS: readonly (readonly [what: string, answer: () => Response, said: string])[] = [
  ["500", () => new Response("secret words of the endpoint", { status: 500 }), "status 500"],
  ["404", () => new Response("", { status: 404 }), "status 404"],
  ["a redirect", () => Response.redirect(`http://127.0.0.1:${receiver.port}/elsewhere`, 307), "status 307"],
];

for (const [what, response, said] of REFUSALS) {
  test(`after ${what} the record is posted again, at growing intervals, until it is accepted`, async () => {
    receiver.response = response;
    await settle("a");
    const poster = createPoster();
    for (let tries = 0; tries < 3; tries++) {
      await poster.round();
      expect(receiver.received).toHaveLength(tries + 1);
      clock.now += retryDelayMs(tries, 1) - 1;
      await poster.round();
      expect(receiver.received).toHaveLength(tries + 1);
      clock.now += 1;
    }
    receiver.response = () => new Response(null, { status: 204 });
    clock.now += 60_000;
    expect(await poster.round()).toBe(1);
    expect(new Set(receiver.received.map(({ id }) => id))).toEqual(new Set(["a"]));
    expect(receiver.received.every(({ isGenuine }) => isGenuine)).toBe(true);
    expect(logged).toEqual([
      `settlement records: a was not accepted: ${said}; it is posted again later`,
      "settlement records: they are accepted again",
    ]);
    expect(counted).toEqual({ posted: 1, failed: 3, dropped: 0 });
  });
}

test("an endpoint that never responds is paused after some failures, one that is not there at once", async () => {
  receiver.response = () => new Promise<never>(() => {});
  await settle("hangs");
  await createPoster({ timeoutMs: 50 }).round();
  expect(logged).toEqual([
    "settlement records: hangs was not accepted: no response within 50 ms; it is posted again later",
  ]);
  const { url } = receiver;
  await receiver.stop();
  await settle("gone", url);
  await createPoster().round();
  expect(logged[1]).toStartWith("settlement records: gone was not accepted: no connection");
  expect(logged.join("\n")).not.toMatch(/path-secret|query-secret|127\.0\.0\.1/);
  expect(await store.outbox.size()).toBe(2);
});

test("an endless response is not read", async () => {
  const left = Promise.withResolvers<void>();
  receiver.response = () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        cancel: () => left.resolve(),
      }),
    );
  await settle("a");
  expect(await createPoster().round()).toBe(1);
  await left.promise;
});

test("the records of an endpoint that rests wait for their next try, and not for the end of a lease", async () => {
  receiver.response = () => new Response("", { status: 500 });
  for (let at = 0; at < 3; at++) await settle(`early-${at}`);
  const poster = createPoster();
  await poster.round();
  await settle("late");
  await poster.round();
  expect(receiver.received).toHaveLength(3);
  receiver.response = () => new Response("");
  clock.now += retryDelayMs(0, 1);
  expect(await poster.round()).toBe(4);
});

test("eight records are posted at a time", async () => {
  const gate = Promise.withResolvers<void>();
  receiver.response = async () => {
    await gate.promise;
    return new Response("");
  };
  for (let at = 0; at < 12; at++) await settle(`id-${at}`);
  const round = createPoster().round();
  await until(() => receiver.received.length === 8);
  gate.resolve();
  expect([await round, receiver.received.length]).toEqual([12, 12]);
});

test("looks follow each other after a random time around a second, until the close", async () => {
  for (const [random, wait] of [
    [0, 750],
    [0.5, 1000],
  ] as const) {
    let isHastened = true;
    using timers = watchTimers((ms) => (ms === wait && isHastened ? 1 : ms));
    let looks = 0;
    const outbox = { ...store.outbox, size: async () => ((looks += 1), 0) };
    const poster = createPoster({ outbox, random: () => random });
    poster.start();
    poster.start();
    await until(() => looks >= 2);
    isHastened = false;
    await until(() => timers.pending(wait) === 1);
    await poster.close();
    expect(timers.pending(wait)).toBe(0);
    poster.start();
    expect(timers.pending(wait)).toBe(0);
  }
});

test("an outbox that fails is logged without the text of the error, and asked again", async () => {
  await settle("a");
  const outbox = { ...store.outbox, size: () => Promise.reject(new TypeError("secret")) };
  expect(await createPoster({ outbox }).round()).toBe(0);
  expect(logged).toEqual(["settlement records: the outbox failed: TypeError"]);
});

test("an endpoint that hangs does not delay the records of other endpoints", async () => {
  const hung = Promise.withResolvers<void>();
  receiver.response = async () => {
    await hung.promise;
    return new Response("", { status: 504 });
  };
  const quick = new WebhookReceiver(SECRET);
  for (let i = 0; i < 50; i++) await settle(`slow-${i}`);
  await settle("the-quick", quick.url);
  const round = createPoster().round();
  await until(() => receiver.received.length === 8);
  hung.resolve();
  await round;
  // Eight at once, and some more before the endpoint is paused.
  expect(receiver.received.length).toBeLessThan(20);
  expect(quick.received).toHaveLength(1);
  expect(await store.outbox.size()).toBe(50);
  await quick.stop();
});

test("after a 410 the record is dropped, and the log names it", async () => {
  receiver.response = () => new Response("", { status: 410 });
  await settle("a");
  await createPoster().round();
  expect(await store.outbox.size()).toBe(0);
  expect(logged).toEqual(["settlement records: dropped a: its endpoint responded with 410 (Gone)"]);
  expect(counted).toEqual({ posted: 0, failed: 0, dropped: 1 });
});

test("a record that was not accepted in the tries of three days is dropped, and the log names it", async () => {
  receiver.response = () => new Response("", { status: 503 });
  await settle("a");
  const poster = createPoster();
  const end = clock.now + 3 * DAY_MS;
  for (let tries = 0; clock.now <= end; tries++) {
    await poster.round();
    expect(await store.outbox.size()).toBe(1);
    clock.now += retryDelayMs(tries, 1);
  }
  await poster.round();
  expect(await store.outbox.size()).toBe(0);
  expect(logged.at(-1)).toBe("settlement records: dropped a: not accepted within 3 days");
});

test("a clock that is set forward by days drops no record", async () => {
  receiver.response = () => new Response("", { status: 503 });
  await settle("a");
  const poster = createPoster();
  clock.now += 400 * DAY_MS;
  for (let tries = 0; tries < 3; tries++) {
    await poster.round();
    clock.now += retryDelayMs(tries, 1);
  }
  receiver.response = () => new Response("");
  expect([await poster.round(), await store.outbox.size()]).toEqual([1, 0]);
});

test("if too many records wait, the oldest are dropped, counted and logged", async () => {
  receiver.response = () => new Response("", { status: 500 });
  for (let i = 0; i < 6; i++) {
    await settle(`id-${i}`);
    clock.now += 1;
  }
  await createPoster({ maxWaiting: 4 }).round();
  expect(waiting).toBe(4);
  expect(counted["dropped"]).toBe(2);
  expect(receiver.received.map(({ id }) => id).toSorted()).toEqual(["id-2", "id-3", "id-4", "id-5"]);
  expect(logged[0]).toBe("settlement records: dropped the 2 oldest: more than 4 waited");
});

test("the delay between tries doubles up to two hours, and half of it is random", () => {
  expect([0, 1, 2, 20, 1000].map((tries) => retryDelayMs(tries, 1))).toEqual([
    5000, 10_000, 20_000, 7_200_000, 7_200_000,
  ]);
  expect(retryDelayMs(0, 0)).toBe(2500);
  expect(retryDelayMs(1, 0.123_456)).toBe(5617);
});

test("a poster that is closed during a post stops, and another one posts the same record again", async () => {
  // It does not wait for its next look.
  using timers = watchTimers((ms) => (ms === 1250 ? 2 ** 31 - 1 : ms));
  receiver.response = () => new Promise<never>(() => {});
  await settle("a");
  const poster = createPoster();
  poster.start();
  await until(() => receiver.received.length === 1);
  await poster.close();
  expect([timers.pending(1250), counted]).toEqual([0, { posted: 0, failed: 0, dropped: 0 }]);
  receiver.response = () => new Response("");
  clock.now += NOTICE_LEASE_MS;
  expect(await createPoster().round()).toBe(1);
});

test("a post may take ten seconds", async () => {
  using timers = watchTimers((ms) => (ms >= 10_000 ? 50 : ms));
  receiver.response = () => new Promise<never>(() => {});
  await settle("hangs");
  expect(await createPoster().round()).toBe(0);
  expect(logged).toEqual([
    "settlement records: hangs was not accepted: no response within 10000 ms; it is posted again later",
  ]);
  expect(timers.pending(10_000)).toBe(0);
});

test("a close waits for the round that is under way, so that the outbox can be closed after it", async () => {
  let under = 0;
  using size = spyOn(store.outbox, "size");
  size.mockImplementation(async () => {
    under++;
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    under--;
    return 0;
  });
  const poster = createPoster();
  poster.start();
  expect(under).toBe(1);
  await poster.close();
  expect([under, size.mock.calls.length]).toEqual([0, 1]);
});

const POSTING_CHILD = `
  import { openStore } from ${JSON.stringify(join(import.meta.dir, "../../../store/open/open-store.ts"))};
  import { OutboxPoster } from ${JSON.stringify(join(import.meta.dir, "webhook-poster.ts"))};
  const [path, secret] = process.argv.slice(1);
  const { outbox } = openStore(path);
  const watcher = { ended() {}, waiting() {} };
  new OutboxPoster({ outbox, secrets: () => [Buffer.from(secret)], clock: Date.now, random: Math.random, log() {}, watcher }).start();
`;

test("if the process is killed after the post and before it is recorded, the record is posted again with the same id", async () => {
  await settle("a");
  const child = Bun.spawn([process.execPath, "-e", POSTING_CHILD, join(folder, "state.db"), SECRET.toString()]);
  receiver.response = async () => {
    child.kill("SIGKILL");
    await child.exited;
    return new Response("taken, and nobody hears of it");
  };
  await until(() => receiver.received.length === 1, 20_000);
  await child.exited;
  expect(await store.outbox.size()).toBe(1);
  receiver.response = () => new Response("");
  clock.now = Date.now() + NOTICE_LEASE_MS;
  expect(await createPoster().round()).toBe(1);
  expect(receiver.received.map(({ id, isGenuine }) => [id, isGenuine])).toEqual([
    ["a", true],
    ["a", true],
  ]);
});
