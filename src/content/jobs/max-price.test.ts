import { afterAll, expect, test } from "bun:test";
import { openSqliteJobs } from "../../store/open/open-jobs.ts";
import { givenOnly } from "./crawl-order.ts";
import { localService } from "./testing/local-jobs.ts";

const store = openSqliteJobs(":memory:");
const service = localService(store);
afterAll(() => service.close());

const payment = { network: "eip155:1", asset: "0xdef", quote: "1003", until: Date.now() / 1000 + 600 };

function add(maxPrice: string, name: string | undefined) {
  const order = givenOnly(Array.from({ length: 10 }, (_, at) => `https://a${maxPrice}.example/${at}`));
  const deferred = name === undefined ? undefined : payment;
  const paid = { maxPrice, payer: "0xabc", payment: name ?? "", deferred, unproven: false };
  return service.jobs.add({ operation: "batch", input: {}, order, ...paid });
}

test.each([
  ["350", 3, "300"],
  ["100", 1, "100"],
  ["9999", 10, "1003"],
])("a job that may cost %p delivers at most %p pages", async (most, limit, quote) => {
  const { id, chargeKey = "" } = await add(most, `payment-${most}`);
  await service.jobs.charge(id, chargeKey, { amount: "0", transaction: "", isClosed: false });
  const job = await store.find(id);
  if (job === undefined) throw new Error("the job is not there");
  expect(await service.jobs.state(job)).toMatchObject({ limit, cost: { quote } });
  const taken = await store.take(job, { hosts: 1, addresses: 1, delayMs: 0 });
  const result = Bun.zstdCompressSync('{"url":""}');
  const [one] = taken;
  if (one === undefined) throw new Error("there is no page");
  const after = await store.finish(job, { finished: [{ taken: one, kind: "delivered", result }], found: [] });
  if (after === undefined) throw new Error("the job is not there");
  const state = await service.jobs.state(after);
  expect(Number(state.cost?.due)).toBeLessThanOrEqual(Number(most));
  if (limit === 1) expect(state).toMatchObject({ state: "completed", reason: "max-price" });
});

test("a price below one page, and a price without a payment by pages, are refused", async () => {
  for (const adding of [add("99", "payment"), add("350", undefined)]) {
    const failure = await adding.catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "invalid-parameters", errors: [{ path: "max_price" }] });
  }
});
