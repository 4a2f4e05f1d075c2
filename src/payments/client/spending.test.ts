import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { Database } from "bun:sqlite";
import fc from "fast-check";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { patient } from "../../lib/testing/patience.ts";
import { parseDollars, PaymentDeclined } from "./choice.ts";
import { Spending, spendingPath, TotalTooHigh } from "./spending.ts";

setDefaultTimeout(patient(60_000));

const folders: string[] = [];

function fresh(): string {
  const folder = mkdtempSync(join(tmpdir(), "spending-"));
  folders.push(folder);
  return spendingPath(join(folder, "wallet.json"));
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

test("a day's payments add up exactly to the limit, and not a unit further", () => {
  const spending = new Spending(fresh());
  for (let i = 0; i < 10; i++) spending.add(parseDollars("$0.1"), "$1");
  expect(spending.today().counted).toBe(parseDollars("$1"));
  expect(() => spending.add(1n, "$1")).toThrow(TotalTooHigh);
  expect(() => spending.add(parseDollars("$0.1"), "$1")).toThrow(
    "Cannot pay $0.10: $1.00 of today's limit of $1 are used up",
  );
  expect(spending.today().counted).toBe(parseDollars("$1"));
  spending.add(parseDollars("$7"), undefined);
  expect(spending.today().counted).toBe(parseDollars("$8"));
});

test("the next day's total begins at 0", () => {
  let now = Date.parse("2026-03-01T23:59:59Z");
  const spending = new Spending(fresh(), () => now);
  spending.add(parseDollars("$1"), "$1");
  now += 1000;
  expect(spending.today().counted).toBe(0n);
  spending.add(parseDollars("$1"), "$1");
});

test("a clock that is wrong for a while resets no day's total", () => {
  const path = fresh();
  const at = (time: string) => new Spending(path, () => Date.parse(time));
  at("2026-03-01T12:00:00Z").add(parseDollars("$1"), "$1");
  at("2099-01-01T12:00:00Z").add(parseDollars("$1"), "$1");
  at("1999-01-01T12:00:00Z").add(parseDollars("$1"), "$1");
  for (const time of ["2026-03-01T13:00:00Z", "1999-01-01T13:00:00Z", "2099-01-01T13:00:00Z"]) {
    expect(() => at(time).add(1n, "$1")).toThrow(TotalTooHigh);
  }
});

test("the oldest days are deleted, but never today", () => {
  const path = fresh();
  const on = (day: number) => new Spending(path, () => Date.UTC(2026, 2, day));
  for (let day = 1; day <= 33; day++) on(day).add(1n, undefined);
  expect([1, 2, 33].map((day) => on(day).today().counted)).toEqual([0n, 1n, 1n]);
  on(0).add(1n, undefined);
  expect([0, 2].map((day) => on(day).today().counted)).toEqual([1n, 1n]);
});

test("only the owner can read the file, and no other file is left", () => {
  const path = fresh();
  new Spending(path).add(1n, undefined);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(path, ".."))).toEqual(["spending.db"]);
});

test("if the payment cannot be recorded, it is not made", () => {
  const spending = new Spending("/proc/nowhere/spending.db");
  expect(() => spending.add(1n, undefined)).toThrow(PaymentDeclined);
  expect(() => spending.add(1n, undefined)).toThrow(
    `Cannot keep the wallet's spending in "/proc/nowhere/spending.db": ENOENT`,
  );
});

test("the signature of a failed call counts until it has expired", () => {
  let now = Date.parse("2026-03-01T14:00:00Z");
  const path = fresh();
  const spending = new Spending(path, () => now);
  spending.add(parseDollars("$0.5"), "$1");
  const fail = spending.add(parseDollars("$0.5"), "$1");
  fail(now / 1000 + 245);
  for (const at of ["14:00:00", "14:05:59"]) {
    now = Date.parse(`2026-03-01T${at}Z`);
    expect(() => new Spending(path, () => now).add(1n, "$1")).toThrow(
      "$1.00 of today's limit of $1 are used up, $0.50 of it not charged, but signed until 14:06 UTC",
    );
  }
  now = Date.parse("2026-03-01T14:06:00Z");
  expect(spending.today()).toMatchObject({ signed: parseDollars("$1"), counted: parseDollars("$0.5"), held: 0n });
  spending.add(parseDollars("$0.5"), "$1")(now / 1000);
  now += 600_000;
  spending.add(parseDollars("$0.5"), "$1");
  expect(() => spending.add(parseDollars("$0.5"), "$1")).toThrow("$1.00 of today's limit of $1 are used up");
});

test("the signatures of a day add up to at most twice the limit, even if all have expired", () => {
  let now = Date.parse("2026-03-01T12:00:00Z");
  const spending = new Spending(fresh(), () => now);
  for (let at = 0; at < 2; at += 1) {
    const fail = spending.add(parseDollars("$1"), "$1");
    fail(now / 1000);
    now += 3_600_000;
  }
  expect(spending.today().counted).toBe(0n);
  expect(() => spending.add(1n, "$1")).toThrow(
    "$2.00 are signed today, $2.00 of it not charged; the limit of $1 allows twice as much",
  );
});

test("a part that was not charged counts until its signature has expired", () => {
  let now = Date.parse("2026-03-01T14:00:00Z");
  const spending = new Spending(fresh(), () => now);
  spending.add(parseDollars("$1"), "$1")(now / 1000, parseDollars("$0.9"));
  expect(() => spending.add(1n, "$1")).toThrow("$0.90 of it not charged, but signed until 14:01 UTC");
  now += 60_000;
  expect(() => spending.add(parseDollars("$0.91"), "$1")).toThrow("$0.10 of today's limit of $1 are used up");
  spending.add(parseDollars("$0.9"), "$1");
  expect(() => spending.add(parseDollars("$0.2"), "$1")).toThrow(TotalTooHigh);
});

test("a failed call of yesterday takes nothing out of today's total", () => {
  let now = Date.parse("2026-03-01T23:59:59Z");
  const spending = new Spending(fresh(), () => now);
  const fail = spending.add(parseDollars("$1"), "$1");
  now += 1000;
  spending.add(parseDollars("$1"), "$1");
  fail(now / 1000 - 1);
  now += 3_600_000;
  expect(() => spending.add(1n, "$1")).toThrow(TotalTooHigh);
});

test("a failed call stays in the total if the file is busy or gone, and does not throw", () => {
  const path = fresh();
  const fail = new Spending(path).add(parseDollars("$1"), "$1");
  const other = new Database(path);
  other.run("BEGIN EXCLUSIVE");
  fail(0);
  other.run("COMMIT");
  other.close();
  expect(new Spending(path).today().counted).toBe(parseDollars("$1"));
  rmSync(join(path, ".."), { recursive: true });
  fail(0);
});

/** A signature that a server holds. */
interface Held {
  readonly dollars: bigint;
  readonly expires: number;
  state: "open" | "settled" | "failed";
}

test(
  "no sequence of failed calls lets settled and settleable payments exceed the limit",
  () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.constantFrom("settle", "fail", "silence", "lie", "wait"), fc.integer({ min: 1, max: 600 })),
          {
            maxLength: 60,
          },
        ),
        (steps) => {
          const limit = 1000n;
          let now = Date.parse("2026-03-01T00:00:00Z");
          const path = fresh();
          const wallets = [1, 2].map(() => new Spending(path, () => now));
          const held: Held[] = [];
          for (const [i, [step, number]] of steps.entries()) {
            if (step === "wait") now += number * 1000;
            else {
              const payment: Held = {
                dollars: BigInt(number),
                expires: Math.floor(now / 1000) + number,
                state: "open",
              };
              try {
                // Turns between two processes of the same wallet.
                const fail = wallets[i % 2]?.add(payment.dollars * 10n ** 33n, "$1");
                held.push(payment);
                if (step === "settle") payment.state = "settled";
                if (step === "fail" || step === "lie") fail?.(payment.expires);
                if (step === "lie") payment.state = "settled";
                if (step === "fail") payment.state = "failed";
              } catch (error) {
                expect(error).toBeInstanceOf(TotalTooHigh);
              }
            }
            const isLive = ({ state, expires }: Held) =>
              state === "settled" || expires * 1000 > now || state === "open";
            const sum = held.filter(isLive).reduce((total, { dollars }) => total + dollars, 0n);
            expect(sum).toBeLessThanOrEqual(steps.some(([one]) => one === "lie") ? 2n * limit : limit);
          }
        },
      ),
      { numRuns: 30 },
    );
  },
  patient(60_000),
);

test("processes that pay at the same time share one limit", async () => {
  const path = fresh();
  const program = `
    import { Spending } from ${JSON.stringify(join(import.meta.dir, "spending.ts"))};
    const spending = new Spending(process.argv[1]);
    let paid = 0;
    const later = Math.floor(Date.now() / 1000) + 600;
    for (let i = 0; i < 20; i++) try {
      const fail = spending.add(10n ** 34n, "$0.15");
      // A failed call frees nothing before its signature expires.
      if (i % 2 === 1) fail(later);
      paid++;
    } catch {}
    console.log(paid);
  `;
  const children = [1, 2, 3].map(() => Bun.spawn([process.execPath, "-e", program, path], { stdout: "pipe" }));
  const counts = await Promise.all(children.map(async ({ stdout }) => Number(await stdout.text())));
  expect(counts.reduce((sum, count) => sum + count)).toBe(15);
  expect(new Spending(path).today().counted).toBe(parseDollars("$0.15"));
});
