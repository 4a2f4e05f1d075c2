import { afterEach, expect, jest, setDefaultTimeout, spyOn, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { until } from "../../lib/testing/until.ts";
import { parseSecrets, webhookHeaders } from "../../payments/settlement/webhooks/webhook-secret.ts";
import { LEASE_MS } from "../../store/jobs/job-store.ts";
import { openSqliteJobs } from "../../store/open/open-jobs.ts";
import { ANYWHERE, type EgressOptions, PUBLIC_WEB } from "../egress/guard.ts";
import { signedPost, type Webhook } from "./webhook.ts";
import { WebhookSender } from "./webhook-sender.ts";
import { localService } from "./testing/local-jobs.ts";

setDefaultTimeout(patient(20_000));

const HOUR_MS = 3_600_000;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

interface Posted {
  readonly number: number;
  readonly type: string;
  readonly job: string;
  readonly metadata?: unknown;
  readonly data: Readonly<Record<string, unknown>>;
}

type Respond = (posted: Posted) => number | Promise<number>;

/** A receiver that checks signatures by the secret of the job, which its owner got. */
function receiver(respond: Respond = () => 200) {
  const posted: Posted[] = [];
  const ids: string[] = [];
  const secrets = new Map<string, string>();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request: Request): Promise<Response> {
      const body = await request.text();
      const event = JSON.parse(body) as Posted;
      const id = request.headers.get("webhook-id") ?? "";
      const timestamp = Number(request.headers.get("webhook-timestamp"));
      const expected = webhookHeaders({ id, timestamp, body }, parseSecrets("S", secrets.get(event.job)));
      expect(request.headers.get("webhook-signature")).toBe(expected["webhook-signature"] ?? "no secret");
      posted.push(event);
      ids.push(id);
      return new Response("x".repeat(10), { status: await respond(event), headers: { location: "/elsewhere" } });
    },
  });
  closing.push(() => server.stop(true));
  return { url: `http://127.0.0.1:${server.port}/in?token=1`, posted, ids, secrets };
}

/** A store whose clock the test moves, jobs without a runner, and a sender whose rounds the test begins. */
function begin(egress: EgressOptions = { policy: ANYWHERE }) {
  const clock = { now: Date.now(), set: 0 };
  const store = openSqliteJobs(":memory:", () => clock.now);
  const service = localService(store);
  const { jobs } = service;
  closing.push(() => service.close());
  const newSender = () => {
    const sender = new WebhookSender({
      store,
      jobs,
      egress,
      postOf: signedPost,
      unixNow: () => clock.now,
      now: () => clock.now - clock.set,
      random: () => 1,
      log: (_, message) => expect(message).toBe(""),
    });
    closing.push(() => sender.close());
    return sender;
  };
  return {
    clock,
    store,
    sender: newSender(),
    newSender,
    async add(to: ReturnType<typeof receiver>, changes: Partial<Webhook> = {}) {
      const webhook = { url: to.url, ...changes };
      const urls = ["https://site.example/"];
      const order = { urls, webhook } as Parameters<typeof service.add>[0];
      const job = await service.add(order);
      to.secrets.set(job.id, job.webhookSecret ?? "");
      return job.id;
    },
    /** Delivers the only page, which ends the job. */
    async deliver(id: string, content = "The content") {
      const job = await store.find(id);
      if (job === undefined) throw new Error("the job is not there");
      // A host that is not known yet gets one request in the first second.
      clock.now += 1_000;
      const [taken] = await store.take(job, { hosts: 1, addresses: 1, delayMs: 0 });
      if (taken === undefined) throw new Error("there is no page");
      const result = Bun.zstdCompressSync(JSON.stringify({ url: taken.url, depth: 0, content }));
      await store.finish(job, { finished: [{ taken, kind: "delivered", result }], found: [] });
    },
    async state(id: string) {
      const job = await store.find(id);
      if (job === undefined) throw new Error("the job is not there");
      return (await jobs.state(job)).webhook;
    },
  };
}

test("the events of a job arrive in order, signed with its own secret, with metadata and an id that repeats", async () => {
  const to = receiver();
  const at = begin();
  const id = await at.add(to, { metadata: { order: "7" } });
  await at.sender.round();
  expect(to.posted).toMatchObject([{ number: 0, type: "started", job: id, metadata: { order: "7" } }]);
  expect(await at.state(id)).toEqual({ state: "sending", sent: 0 });
  at.clock.now += 1_000;
  await at.deliver(id);
  await at.sender.round();
  expect(to.posted.map(({ number, type }) => [number, type])).toEqual([
    [0, "started"],
    [1, "page"],
    [2, "completed"],
  ]);
  expect(to.posted[1]?.data).toEqual({ number: 1, url: "https://site.example/", depth: 0, content: "The content" });
  expect(to.posted[2]?.data).toMatchObject({ state: "completed", delivered: 1 });
  expect(to.ids).toEqual([`${id}.0`, `${id}.1`, `${id}.2`]);
  expect(await at.state(id)).toEqual({ state: "done", sent: 2 });
  at.clock.now += LEASE_MS;
  await at.sender.round();
  expect(to.posted).toHaveLength(3);
});

test("a receiver gets only the types that it wants, and no content beyond the limit of a body", async () => {
  const [some, all] = [receiver(), receiver()];
  const at = begin();
  const ids = [await at.add(some, { events: ["completed", "failed"] }), await at.add(all)];
  for (const id of ids) await at.deliver(id, "x".repeat(1024 * 1024));
  await at.sender.round();
  expect(some.posted.map(({ type }) => type)).toEqual(["completed"]);
  expect(all.posted[1]?.data).toEqual({
    number: 1,
    url: "https://site.example/",
    depth: 0,
    content_left_out: true,
  });
});

test("a failed event is sent again later and later, no other one overtakes it, and after a day the webhook is given up", async () => {
  let status = 500;
  const to = receiver(() => status);
  const at = begin();
  const id = await at.add(to);
  await at.deliver(id);
  const since = new Date(at.clock.now).toISOString();
  await at.sender.round();
  expect(await at.state(id)).toEqual({ state: "failing", sent: -1, failure: "status 500", failing_since: since });
  at.clock.now += 4_999;
  await at.sender.round();
  expect(to.posted).toHaveLength(1);
  at.clock.now += 1;
  status = 307;
  await at.sender.round();
  expect(to.posted).toHaveLength(2);
  expect(await at.state(id)).toMatchObject({ failure: "status 307" });
  at.clock.now += 10_000;
  status = 200;
  await at.sender.round();
  expect(to.posted.map(({ number }) => number)).toEqual([0, 0, 0, 1, 2]);
  const lost = await at.add(to);
  status = 503;
  for (let hours = 0; hours < 30; hours += 2) {
    await at.sender.round();
    at.clock.now += 2 * HOUR_MS;
  }
  const tried = to.posted.length;
  expect(await at.state(lost)).toMatchObject({ state: "given-up", sent: -1 });
  at.clock.now += 48 * HOUR_MS;
  await at.sender.round();
  expect(to.posted).toHaveLength(tried);
});

test("a webhook is not given up within an hour after the clock was set forward", async () => {
  let status = 503;
  const to = receiver(() => status);
  const at = begin();
  const id = await at.add(to);
  await at.sender.round();
  at.clock.now += 30 * HOUR_MS;
  at.clock.set += 30 * HOUR_MS;
  await at.sender.round();
  expect(await at.state(id)).toMatchObject({ state: "failing", failure: "status 503" });
  status = 200;
  at.clock.now += HOUR_MS / 2;
  await at.sender.round();
  expect(to.posted.map(({ number }) => number)).toEqual([0, 0, 0]);
});

test("a receiver that is gone gets nothing more", async () => {
  const to = receiver(() => 410);
  const at = begin();
  const id = await at.add(to);
  await at.sender.round();
  expect(await at.state(id)).toMatchObject({ state: "given-up", failure: "status 410" });
});

test("a receiver that does not respond delays no other one", async () => {
  const hanging = receiver(() => new Promise<number>(() => undefined));
  const well = receiver();
  const at = begin();
  for (let count = 0; count < 15; count += 1) await at.add(hanging);
  const id = await at.add(well);
  await at.deliver(id);
  const round = at.sender.round();
  await until(() => well.posted.length === 3);
  expect(hanging.posted.length).toBeGreaterThan(0);
  await at.sender.close();
  await round;
});

test("16 webhooks are sent at a time, and while they wait for responses the store is not asked for more", async () => {
  const at = begin();
  const release = Promise.withResolvers<number>();
  const earliest = Promise.withResolvers<number>();
  const slow = receiver(() => (slow.posted.length === 1 ? earliest.promise : release.promise));
  for (let i = 0; i < 18; i++) await at.add(slow);
  const first = at.sender.round();
  await until(() => slow.posted.length >= 16);
  const take = spyOn(at.store.hooks, "take");
  const second = at.sender.round();
  await until(() => take.mock.calls.some(([, isFailing]) => isFailing));
  expect(take.mock.calls.filter(([, isFailing]) => !isFailing)).toEqual([]);
  expect(slow.posted.length).toBe(16);
  // One place that is free goes to the next webhook.
  earliest.resolve(200);
  const rounds = [first, second];
  await until(() => {
    rounds.push(at.sender.round());
    return slow.posted.length > 16;
  });
  expect(slow.posted.length).toBe(17);
  release.resolve(200);
  await Promise.all(rounds);
});

test("a receiver on a private address is refused at each try, whatever its name resolves to", async () => {
  const to = receiver();
  const asked: string[] = [];
  const addresses = ["93.184.215.14", "127.0.0.1"];
  const at = begin({
    policy: { ...PUBLIC_WEB, allowsPort: () => true },
    resolve: async (host) => {
      asked.push(host);
      return [addresses[asked.length] ?? "127.0.0.1"];
    },
  });
  const id = await at.add(to, { url: to.url.replace("127.0.0.1", "hooks.example") });
  await at.sender.round();
  expect(await at.state(id)).toMatchObject({ state: "failing", failure: "refused" });
  at.clock.now += 5_000;
  await at.sender.round();
  expect(asked).toEqual(["hooks.example", "hooks.example"]);
  expect(to.posted).toEqual([]);
});

test("an event whose service died before the response is sent again by another one, under the same id", async () => {
  const responses = [new Promise<number>(() => undefined), 200, 200, 200];
  const to = receiver(() => responses.shift() ?? 200);
  const at = begin();
  const id = await at.add(to);
  await at.deliver(id);
  void at.sender.round();
  await until(() => to.posted.length === 1);
  await at.sender.close();
  const other = at.newSender();
  await other.round();
  expect(to.posted).toHaveLength(1);
  at.clock.now += LEASE_MS;
  await other.round();
  expect(to.ids).toEqual([`${id}.0`, `${id}.0`, `${id}.1`, `${id}.2`]);
  expect(await at.state(id)).toEqual({ state: "done", sent: 2 });
});

async function pass(ms: number): Promise<void> {
  jest.advanceTimersByTime(ms);
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

test("a sender looks for events every second, logs once that the store is down, and a stop waits for its look alone", async () => {
  jest.useFakeTimers();
  closing.push(() => jest.useRealTimers());
  const { store } = begin();
  const said: string[] = [];
  const sender = new WebhookSender({
    store,
    jobs: { again: () => Promise.resolve(undefined), events: () => Promise.resolve([]) },
    egress: { policy: ANYWHERE },
    postOf: signedPost,
    unixNow: Date.now,
    now: () => performance.now(),
    random: () => 1,
    log: (_, message) => void said.push(message),
  });
  const take = spyOn(store.hooks, "take").mockResolvedValue([]);
  sender.start();
  await pass(0);
  await pass(999);
  expect(take.mock.calls).toEqual([
    [16, false],
    [16, true],
  ]);
  await pass(1);
  expect(take.mock.calls.length).toBe(4);
  for (const _ of ["first", "second"]) {
    take.mockRejectedValue(new Error("it is down"));
    await pass(3_000);
    take.mockResolvedValue([]);
    await pass(1_000);
  }
  const down = "Webhooks wait, because their store fails: it is down";
  expect(said).toEqual([down, down]);
  const look = Promise.withResolvers<[]>();
  take.mockReturnValue(look.promise);
  await pass(1_000);
  let isClosed = false;
  const closed = sender.close().then(() => (isClosed = true));
  await pass(5_000);
  const before = take.mock.calls.length;
  expect(isClosed).toBe(false);
  look.resolve([]);
  await closed;
  // The look ends with the webhooks that failed.
  expect([take.mock.calls.length, jest.getTimerCount()]).toEqual([before + 1, 0]);
});
