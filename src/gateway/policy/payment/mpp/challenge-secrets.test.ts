import { afterEach, beforeEach, expect, test } from "bun:test";
import { openStore } from "../../../../store/open/open-store.ts";
import { type PaymentIds } from "../../../../store/payment-ids.ts";
import { type Store } from "../../../../store/store.ts";
import { openSecrets } from "./challenge-secrets.ts";

const DAY_MS = 86_400_000;
const START = 20_000 * DAY_MS;

let now: number;
let store: Store;
beforeEach(() => {
  now = START;
  store = openStore(":memory:", () => now);
});
afterEach(() => store.close());

/** The secrets of a gateway, whose store fails while `isDown`. */
function open() {
  const state = { isDown: false, asked: 0, logged: [] as string[] };
  const paymentIds = {
    tie: async (...id) => {
      state.asked += 1;
      if (state.isDown) throw new TypeError("secret");
      return await store.paymentIds.tie(...id);
    },
  } satisfies Partial<PaymentIds> as Partial<PaymentIds> as PaymentIds; // The other methods are not called.
  const log = (line: string) => state.logged.push(line);
  const secrets = openSecrets("", {}, { paymentIds: () => paymentIds, clock: () => now, log });
  const texts = (): string[] => secrets.all.map((secret) => Buffer.from(secret).toString("hex"));
  return { state, secrets, texts };
}

test("each day has a secret, which all gateways of a store share, and yesterday's is still accepted", async () => {
  const [one, other] = [open(), open()];
  await Promise.all([one.secrets.load(), other.secrets.load()]);
  const [today, yesterday] = one.texts();
  expect(other.texts()).toEqual(one.texts());
  expect([one.texts().length, today === yesterday, today?.length]).toEqual([2, false, 64]);
  now = START + DAY_MS - 1;
  expect(one.secrets.load()).toBeUndefined();
  now = START + DAY_MS;
  await one.secrets.load();
  expect(one.texts()[1]).toBe(today ?? "");
});

test("requests at once ask the store once", async () => {
  const { state, secrets } = open();
  await Promise.all([secrets.load(), secrets.load(), secrets.load()]);
  expect(state.asked).toBe(2);
});

test("after a failure, the store is asked again a second later, and at once if the clock was set back", async () => {
  const { state, secrets, texts } = open();
  state.isDown = true;
  await secrets.load();
  expect(texts()).toEqual([]);
  expect(state.logged).toEqual(["payment: cannot get the secret of challenges from the ledger: TypeError"]);
  now += 999;
  expect(secrets.load()).toBeUndefined();
  now += 1;
  await secrets.load();
  expect(state.logged).toHaveLength(2);
  state.isDown = false;
  now -= DAY_MS / 2;
  await secrets.load();
  expect(texts()).toHaveLength(2);
});

function never(): never {
  throw new Error("it is not asked");
}

test("the operator's own secrets need no store", () => {
  const unasked = { paymentIds: never, clock: never, log: never };
  const own = openSecrets("SECRETS", { SECRETS: `${"a".repeat(24)} ${"b".repeat(24)}` }, unasked);
  expect([own.all.map(({ byteLength }) => byteLength), own.load()]).toEqual([[24, 24], undefined]);
  expect(() => openSecrets("SECRETS", {}, unasked)).toThrow("the environment variable SECRETS is not set");
});
