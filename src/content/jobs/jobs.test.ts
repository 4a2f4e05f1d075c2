import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { openSqliteJobs } from "../../store/open/open-jobs.ts";
import { givenOnly } from "./crawl-order.ts";
import { localService } from "./testing/local-jobs.ts";

setDefaultTimeout(patient(20_000));

const store = openSqliteJobs(":memory:");
const service = localService(store);
afterAll(() => service.close());

const order = givenOnly(["https://a.example/1", "https://a.example/2"]);
const shared = { operation: "batch", input: {}, order, payer: "0xabc", unproven: false };
const deferred = { network: "eip155:1", asset: "0xdef", quote: "1000", until: Date.now() / 1000 + 600 };
const unpaid = { ...shared, payment: "", deferred: undefined };
const WORD = { amount: "1000", transaction: "0x1", isClosed: true };

test("only the gateway's key charges a job: the client's secret and another job's key change nothing", async () => {
  const job = await service.jobs.add({ ...shared, payment: "one", deferred });
  const other = await service.jobs.add({ ...shared, payment: "two", deferred });
  expect(other.id).not.toBe(job.id);
  for (const key of ["", job.secret, other.chargeKey ?? ""]) {
    expect(await service.jobs.charge(job.id, key, WORD)).toBeUndefined();
  }
  expect(await store.find(job.id)).toMatchObject({ state: "running", payment: "waiting", paid: "0" });
  expect(await service.jobs.charge(job.id, job.chargeKey ?? "", WORD)).toEqual({ due: "0", ended: true });
  expect(await store.find(job.id)).toMatchObject({ state: "cancelled", reason: "payment", paid: "1000" });
  expect(await store.find(other.id)).toMatchObject({ state: "running", payment: "waiting" });
});

test("a job without a deferred payment has no key, and a job that does not exist cannot be charged", async () => {
  const { id, chargeKey, secret } = await service.jobs.add(unpaid);
  expect(chargeKey).toBeUndefined();
  expect(await service.jobs.charge(id, secret, WORD)).toBeUndefined();
  expect(await service.jobs.charge("0".repeat(32), secret, WORD)).toBeUndefined();
  expect(await store.find(id)).toMatchObject({ state: "running" });
});

test("a job is found by its own secret alone", async () => {
  const [one, two] = [await service.jobs.add(unpaid), await service.jobs.add(unpaid)];
  expect(new Set([one.id, two.id, one.secret, two.secret]).size).toBe(4);
  expect((await service.jobs.find(one.id, one.secret))?.id).toBe(one.id);
  for (const secret of ["", two.secret]) expect(await service.jobs.find(one.id, secret)).toBeUndefined();
});

test("a request that is repeated with its deferred payment gets the same job, and the first secrets end", async () => {
  const repeated = { ...shared, payment: "repeated", deferred };
  const first = await service.jobs.add(repeated);
  const second = await service.jobs.add(repeated);
  expect(second.id).toBe(first.id);
  expect(await service.jobs.find(first.id, first.secret)).toBeUndefined();
  expect((await service.jobs.find(first.id, second.secret))?.id).toBe(first.id);
  expect(await service.jobs.charge(first.id, first.chargeKey ?? "", WORD)).toBeUndefined();
  const started = { ...WORD, amount: "0", transaction: "", isClosed: false };
  expect(await service.jobs.charge(first.id, second.chargeKey ?? "", started)).toEqual({ due: "0", ended: false });
  // Its payment is open now: the terms stay as they are, and the key is another one again.
  const third = await service.jobs.add({ ...repeated, deferred: { ...deferred, quote: "1" } });
  const job = await service.jobs.find(first.id, third.secret);
  expect(job && (await service.jobs.state(job)).cost).toMatchObject({ quote: "1000", open: true });
  expect(await service.jobs.charge(first.id, third.chargeKey ?? "", started)).toEqual({ due: "0", ended: false });
});

test("a job with a webhook has a secret for it, and no other job has one", async () => {
  const plain = await service.jobs.add(unpaid);
  const input = { webhook: { url: "https://hooks.example/" } };
  const hooked = await service.jobs.add({ ...unpaid, input });
  expect([plain.webhookSecret, hooked.webhookSecret?.slice(0, 6)]).toEqual([undefined, "whsec_"]);
});

test.each([
  ["all results are read", { results: 3, paid: "1000" }, false],
  ["nothing more is paid", { results: 4, paid: "500" }, false],
  ["the next page is paid", { results: 5, paid: "1000" }, true],
  // The pages that follow came from the cache, and cost nothing.
  ["all that was delivered is paid", { results: 4, delivered: 2, saved: 100, paid: "500" }, true],
])("a client has more results to read now, if %s: %p", async (_what, change, hasMore) => {
  const { id } = await service.jobs.add({ ...shared, payment: `more ${JSON.stringify(change)}`, deferred });
  const job = await store.find(id);
  if (job === undefined) throw new Error("the job is not there");
  const last = { number: 3, pages: 1, saved: 0, json: "" };
  expect(service.jobs.hasMore({ ...job, delivered: 2, ...change }, last)).toBe(hasMore);
});
