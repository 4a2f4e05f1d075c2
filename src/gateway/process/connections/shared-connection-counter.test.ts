import { expect, test } from "bun:test";
import { closeSync } from "node:fs";
import { join } from "node:path";
import { SharedZone } from "../../../lib/memory/shared-zone.ts";
import { SharedConnectionCounter } from "./shared-connection-counter.ts";

const SHAPE = { rows: 4, counters: 1, cells: 2 };
const TAKER = join(import.meta.dir, "testing/permit-taker.ts");

function worker(zone: SharedZone, row: number): SharedConnectionCounter {
  return new SharedConnectionCounter({ zone, row });
}

test("the permits of all workers are counted together", () => {
  const zone = SharedZone.local(SHAPE);
  const [first, second] = [worker(zone, 1), worker(zone, 2)];
  for (const connectionCounter of [first, second]) {
    expect(connectionCounter.hasFree(2)).toBe(true);
    connectionCounter.take();
  }
  expect([first.hasFree(2), second.hasFree(2), first.hasFree(3)]).toEqual([false, false, true]);
  first.take();
  second.release();
  expect([first.hasFree(3), second.hasFree(2)]).toEqual([true, false]);
});

test("a permit that was found free stays claimed until it is taken", () => {
  const zone = SharedZone.local(SHAPE);
  const connectionCounter = worker(zone, 1);
  for (let i = 0; i < 5; i++) expect(connectionCounter.hasFree(1)).toBe(true);
  expect(worker(zone, 2).hasFree(1)).toBe(false);
  connectionCounter.take();
  connectionCounter.release();
  expect(worker(zone, 2).hasFree(1)).toBe(true);
});

test("the permits of a dead worker are free when its row is cleared", () => {
  const zone = SharedZone.local(SHAPE);
  const dead = worker(zone, 1);
  dead.hasFree(1);
  dead.take();
  expect(worker(zone, 2).hasFree(1)).toBe(false);
  zone.cells(1).fill(0);
  expect(worker(zone, 2).hasFree(1)).toBe(true);
});

test("processes that take permits at the same time never exceed the limit, and all get some", async () => {
  const zone = SharedZone.create(SHAPE);
  const { fd } = zone;
  if (fd === undefined) throw new Error("no descriptor");
  const max = 2;
  const times = 100_000;
  const takers = [1, 2, 3].map((row) =>
    Bun.spawn([process.execPath, TAKER, ...[row, SHAPE.rows, times, max].map(String)], {
      stdio: ["ignore", "pipe", "inherit", fd],
    }),
  );
  const told = await Promise.all(
    // The output of permit-taker.ts.
    takers.map(async ({ stdout }) => JSON.parse(await new Response(stdout).text()) as { most: number; taken: number }),
  );
  for (const { most, taken } of told) {
    expect(most).toBeLessThanOrEqual(max);
    expect(taken).toBeGreaterThan(0);
  }
  expect([1, 2, 3].map((row) => zone.cells(row)[0])).toEqual([0, 0, 0]);
  closeSync(fd);
});
