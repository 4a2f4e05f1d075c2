import { expect, test } from "bun:test";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { type KeptResponses } from "../../../../store/kept-responses.ts";
import { SharedResponses } from "./shared-responses.ts";

const head = { status: 200, reason: "OK", fields: "Content-Type: text/plain\r\n", bodyLength: 9 };
const RESPONSE = { body: [Buffer.from("the "), Buffer.from("goods")], size: 9 };
const RECORD = { key: "payment", until: 61_000, head, trailers: "X: y\r\n" };

function fail(): Promise<never> {
  return Promise.reject(Object.assign(new Error("away"), { code: "connection" }));
}

function storeOf(kept: Map<string, Buffer>, changes: Partial<KeptResponses> = {}): KeptResponses {
  return {
    keep: async (key, response) => kept.set(key, Buffer.from(response)).has(key),
    has: async (key) => kept.has(key),
    find: async (key) => kept.get(key),
    sweep: async () => 0,
    ...changes,
  };
}

function sharedBy(store: KeptResponses): { responses: SharedResponses; logged: string[] } {
  const logged: string[] = [];
  return { responses: new SharedResponses({ store, now: () => 1000, log: (line) => logged.push(line) }), logged };
}

test("a kept response is read back whole, with its head and trailers", async () => {
  const kept = new Map<string, Buffer>();
  const times: number[] = [];
  const { responses } = sharedBy(
    storeOf(kept, {
      async keep(key, response, ms) {
        times.push(ms);
        kept.set(key, Buffer.from(response));
        return true;
      },
    }),
  );
  await responses.keep(RESPONSE, RECORD);
  const stored = await responses.get("payment");
  expect(stored?.body).toEqual(Buffer.from("the goods"));
  expect(stored?.record).toEqual(RECORD);
  expect(times).toEqual([60_000]);
  expect(await responses.get("another payment")).toBeUndefined();
  responses.close();
});

test("a changed response, or one of another payment, is not sent", async () => {
  const kept = new Map<string, Buffer>();
  const { responses } = sharedBy(storeOf(kept));
  await responses.keep(RESPONSE, RECORD);
  const whole = kept.get("payment") ?? Buffer.alloc(0);
  kept.set("stolen", whole);
  expect(await responses.get("stolen")).toBeUndefined();
  for (let i = 0; i < whole.length; i++) {
    const changed = Buffer.from(whole);
    changed[i] = (changed[i] ?? 0) ^ 1;
    kept.set("payment", changed);
    const stored = await responses.get("payment").catch(() => undefined);
    // Some bits of the footer have no meaning.
    if (stored !== undefined) expect(stored).toEqual({ body: Buffer.from("the goods"), record: RECORD });
  }
  responses.close();
});

test("a failing database stops no payment, is reported once, and a client can retry", async () => {
  const { responses, logged } = sharedBy({ keep: fail, has: fail, find: fail, sweep: fail });
  await responses.keep(RESPONSE, RECORD);
  expect(await responses.has("payment")).toBe(false);
  const error = await responses.get("payment").catch((caught: unknown) => caught);
  expect(error instanceof TurnpikeError && error.status).toBe(503);
  expect(logged).toEqual(["payment: cannot share kept responses with other gateways: connection"]);
  responses.close();
});
