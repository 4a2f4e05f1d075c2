import { afterEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseDollars, PaymentDeclined } from "./choice.ts";
import { Spending, spendingPath, TotalTooHigh } from "./spending.ts";

const folders: string[] = [];

function fresh(): string {
  const folder = mkdtempSync(join(tmpdir(), "spending-"));
  folders.push(folder);
  return spendingPath(join(folder, "wallet.json"));
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

test("a day's payments add up exactly to the limit, and not a unit further", () => {
  const spending = new Spending(fresh());
  for (let i = 0; i < 10; i++) spending.add(parseDollars("$0.1"), "$1");
  expect(spending.today()).toBe(parseDollars("$1"));
  expect(() => spending.add(1n, "$1")).toThrow(TotalTooHigh);
  expect(() => spending.add(parseDollars("$0.1"), "$1")).toThrow(
    "Cannot pay $0.10: $1.00 of today's limit of $1 are used up",
  );
  expect(spending.today()).toBe(parseDollars("$1"));
  spending.add(parseDollars("$7"), undefined);
  expect(spending.today()).toBe(parseDollars("$8"));
});

test("the next day's total begins at 0", () => {
  let now = Date.parse("2026-03-01T23:59:59Z");
  const spending = new Spending(fresh(), () => now);
  spending.add(parseDollars("$1"), "$1");
  now += 1000;
  expect(spending.today()).toBe(0n);
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
  expect([1, 2, 33].map((day) => on(day).today())).toEqual([0n, 1n, 1n]);
  on(0).add(1n, undefined);
  expect([0, 2].map((day) => on(day).today())).toEqual([1n, 1n]);
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
  expect(() => spending.add(1n, undefined)).toThrow("Cannot keep the wallet's spending in");
});

test("processes that pay at the same time share one limit", async () => {
  const path = fresh();
  const program = `
    import { Spending } from ${JSON.stringify(join(import.meta.dir, "spending.ts"))};
    const spending = new Spending(process.argv[1]);
    let paid = 0;
    for (let i = 0; i < 10; i++) try { spending.add(10n ** 34n, "$0.15"); paid++; } catch {}
    console.log(paid);
  `;
  const children = [1, 2, 3].map(() => Bun.spawn([process.execPath, "-e", program, path], { stdout: "pipe" }));
  const counts = await Promise.all(children.map(async ({ stdout }) => Number(await stdout.text())));
  expect(counts.reduce((sum, count) => sum + count)).toBe(15);
  expect(new Spending(path).today()).toBe(parseDollars("$0.15"));
});
