import { expect, test } from "bun:test";
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
