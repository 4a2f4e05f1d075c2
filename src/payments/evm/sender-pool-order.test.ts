/** The order in which the keys of a pool are asked, without a chain. */
import { beforeEach, expect, test } from "bun:test";
import { type Address } from "../x402/address.ts";
import { type Sending, type Sent } from "./node/scheme.ts";
import { SenderPool } from "./sender-pool.ts";

const KEYLESS: Sent = { kind: "withheld", cause: "no funds", isKeyless: true };
const MINED: Sent = { kind: "mined", transaction: "0x01", logs: [] };

class Key {
  readonly account: Address;
  readonly maxGas = 300_000n;
  load = 0;
  result: Sent = MINED;
  resumed: Sent | undefined;
  isClosed = false;

  constructor(digit: string) {
    this.account = `0x${digit.repeat(40)}`;
  }

  bars(payer: string): boolean {
    return payer === this.account;
  }

  resume(): Promise<Sent> | undefined {
    return this.resumed && Promise.resolve(this.resumed);
  }

  send(): Promise<Sent> {
    asked.push(this.account[2] ?? "");
    return Promise.resolve(this.result);
  }

  close(): void {
    this.isClosed = true;
  }
}

let asked: string[];
let keys: [Key, Key, Key];
let now: number;
let pool: SenderPool;

beforeEach(() => {
  asked = [];
  keys = [new Key("a"), new Key("b"), new Key("c")];
  now = 1_000_000;
  pool = new SenderPool(keys, () => now);
});

async function send(from?: Address): Promise<Sent> {
  asked.length = 0;
  const share = { payer: "0x01", asset: "0x02", value: 1n, isContract: false, funds: async () => 1n } as const;
  const sending: Sending = { tag: "tag", to: "0x03", data: "0x", share, from };
  return await pool.send(sending);
}

test("the key with the fewest open transactions is asked", async () => {
  const [a, b] = keys;
  a.load = 2;
  b.load = 1;
  expect(await send()).toEqual(MINED);
  expect(asked).toEqual(["c"]);
});

test("a key that cannot send rests for 30 seconds, in which it is asked last", async () => {
  const [a, b, c] = keys;
  a.result = KEYLESS;
  b.load = 1;
  c.load = 2;
  expect(await send()).toEqual(MINED);
  expect(asked).toEqual(["a", "b"]);
  now += 29_999;
  await send();
  expect(asked).toEqual(["b"]);
  now += 1;
  a.result = MINED;
  await send();
  expect(asked).toEqual(["a"]);
});

test("a key that could send after its rest began does not rest", async () => {
  const [a, b, c] = keys;
  for (const key of keys) key.result = KEYLESS;
  expect(await send()).toEqual(KEYLESS);
  expect(asked).toEqual(["a", "b", "c"]);
  for (const key of keys) key.result = MINED;
  a.load = 1;
  c.load = 1;
  await send();
  b.load = 2;
  await send();
  expect(asked).toEqual(["b"]);
});

test("a result that does not concern the key ends the search", async () => {
  const busy: Sent = { kind: "withheld", cause: "the chain's fees are above max_fee_per_gas" };
  keys[0].result = busy;
  expect(await send()).toEqual(busy);
  expect(asked).toEqual(["a"]);
});

test("a transaction of one account goes to no other", async () => {
  const [, b] = keys;
  b.load = 5;
  expect(await send(`0x${"B".repeat(40)}`)).toEqual(MINED);
  expect(asked).toEqual(["b"]);
  b.result = KEYLESS;
  expect(await send(b.account)).toEqual(KEYLESS);
  expect(await send("0x04")).toMatchObject({ kind: "withheld", cause: expect.stringContaining("does not have") });
  expect(asked).toEqual([]);
});

test("the pool finds the key of an open transaction, and closes all keys", async () => {
  expect(pool.resume("tag")).toBeUndefined();
  keys[2].resumed = MINED;
  expect(await pool.resume("tag")).toEqual(MINED);
  pool.close();
  expect(keys.map(({ isClosed }) => isClosed)).toEqual([true, true, true]);
});
