import { afterEach, expect, jest, test } from "bun:test";
import { until } from "../lib/testing/until.ts";
import { LateWrites } from "./late-writes.ts";

function failing(): Promise<void> {
  return Promise.reject(new Error("connection"));
}

function open(): { late: LateWrites; logged: string[] } {
  const logged: string[] = [];
  return { late: new LateWrites((message) => logged.push(message)), logged };
}

test("a write that fails is made again until it succeeds, and stops no other", async () => {
  const { late, logged } = open();
  let attempts = 0;
  const made: string[] = [];
  let isBroken = true;
  await late.insist({ nonce: "never" }, async () => {
    attempts++;
    if (isBroken) throw new Error("constraint");
  });
  let failures = 3;
  for (const nonce of ["a", "b"]) {
    await late.insist({ nonce }, async () => {
      if (failures-- > 0) throw new Error("busy");
      made.push(nonce);
    });
  }
  await until(() => made.length === 2);
  expect(attempts).toBeGreaterThan(1);
  isBroken = false;
  await until(() => logged.length === 2);
  expect(logged[1]).toBe("payment: the ledger has taken the results of 3 payments late");
  await late.close(0);
});

test("a process that ends waits for first attempts and writes what it can", async () => {
  const { late, logged } = open();
  const gate = Promise.withResolvers<void>();
  const made: string[] = [];
  void late.insist({ nonce: "slow" }, async () => {
    if (made.length === 0) await gate.promise;
    made.push("slow");
  });
  const closed = late.close(60_000);
  gate.reject(new Error("connection"));
  made.push("failed");
  await closed;
  expect(made).toEqual(["failed", "slow"]);
  expect(logged).toEqual(["payment: the ledger has taken the results of 1 payments late"]);
});

test("a process that ends names the payments whose results it could not write", async () => {
  const { late, logged } = open();
  await Promise.all(["0x1", "0x2"].map((nonce) => late.insist({ nonce }, failing)));
  await late.close(0);
  expect(logged.at(-1)).toMatch(
    /the results of 2 payments are not in the ledger; delivered ones stay owed there: (?:0x1, 0x2|0x2, 0x1)$/,
  );
  await late.insist({ nonce: "0x3" }, failing);
  expect(logged.at(-1)).toContain("results of 1 payments are not in the ledger; delivered ones stay owed there: 0x3");
});

afterEach(() => {
  jest.useRealTimers();
});

async function settle(): Promise<void> {
  for (let n = 0; n < 20; n += 1) await Promise.resolve();
}

test("a failed write is made again after 100 ms, then after pauses that double up to 5 s", async () => {
  jest.useFakeTimers();
  const { late } = open();
  let attempts = 0;
  await late.insist({ nonce: "a" }, async () => {
    attempts += 1;
    throw new Error("busy");
  });
  for (const [n, pause] of [100, 200, 400, 800, 1600, 3200, 5000, 5000].entries()) {
    jest.advanceTimersByTime(pause - 1);
    await settle();
    expect(attempts).toBe(n + 1);
    jest.advanceTimersByTime(1);
    await settle();
    expect(attempts).toBe(n + 2);
  }
});

test("a process that ends makes waiting writes at once, however long their pause is", async () => {
  jest.useFakeTimers();
  const { late, logged } = open();
  let isBroken = true;
  await late.insist({ nonce: "a" }, () => (isBroken ? failing() : Promise.resolve()));
  for (const pause of [100, 200, 400, 800]) {
    jest.advanceTimersByTime(pause);
    await settle();
  }
  isBroken = false;
  const closed = late.close(0);
  await settle();
  expect(logged.at(-1)).toBe("payment: the ledger has taken the results of 1 payments late");
  jest.useRealTimers();
  await closed;
});

test("10,000 writes wait, and the number of further ones is told", async () => {
  jest.useFakeTimers();
  const { late, logged } = open();
  let isBroken = true;
  const write = (): Promise<unknown> => (isBroken ? failing() : Promise.resolve());
  for (let n = 0; n < 10_003; n += 1) await late.insist({ nonce: String(n) }, write);
  expect(logged).toHaveLength(1);
  isBroken = false;
  jest.advanceTimersByTime(100);
  for (let n = 0; n < 3000; n += 1) await settle();
  expect(logged.at(-1)).toBe(
    "payment: the ledger has taken the results of 10000 payments late; 3 were dropped, and delivered ones stay owed",
  );
});

test("a process that ends counts all lost results, and names 100 of them", async () => {
  const { late, logged } = open();
  for (let n = 0; n < 101; n += 1) await late.insist({ nonce: `#${n}` }, failing);
  await late.close(0);
  expect(logged.at(-1)).toContain("the results of 101 payments");
  expect(logged.at(-1)?.match(/#\d+/g)).toHaveLength(100);
});

test("results that no place was left for are counted once, as the process ends", async () => {
  jest.useFakeTimers();
  const { late, logged } = open();
  for (let n = 0; n < 10_003; n += 1) await late.insist({ nonce: String(n) }, failing);
  const closed = late.close(0);
  jest.advanceTimersByTime(1000);
  jest.useRealTimers();
  await closed;
  expect(logged.at(-1)).toContain("the results of 10003 payments");
  await late.insist({ nonce: "later" }, failing);
  expect(logged.at(-1)).toContain("the results of 1 payments");
});

test.each([
  [0, 1000],
  [1050, 1050],
  [3000, 3000],
  [60_000, 5000],
])("a process with %d ms of grace tries again for %d ms", async (graceMs, ms) => {
  jest.useFakeTimers();
  const { late } = open();
  await late.insist({ nonce: "a" }, failing);
  let isClosed = false;
  void late.close(graceMs).then(() => (isClosed = true));
  let left = ms;
  for (; left > 100; left -= 100) {
    jest.advanceTimersByTime(100);
    await settle();
  }
  jest.advanceTimersByTime(left - 1);
  await settle();
  expect(isClosed).toBe(false);
  jest.advanceTimersByTime(1);
  jest.useRealTimers();
  await until(() => isClosed);
});
