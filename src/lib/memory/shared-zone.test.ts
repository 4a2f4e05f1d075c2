import { afterEach, expect, test } from "bun:test";
import { closeSync, fstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { SharedZone } from "./shared-zone.ts";

const SHAPE = { rows: 3, counters: 5, cells: 2 };
const ADDER = join(import.meta.dir, "../testing/zone-adder.ts");
const opened: number[] = [];

afterEach(() => {
  for (const fd of opened.splice(0)) closeSync(fd);
});

function create(): SharedZone & { readonly fd: number } {
  const zone = SharedZone.create(SHAPE);
  if (zone.fd === undefined) throw new Error("no descriptor");
  opened.push(zone.fd);
  // The line above has checked this.
  return zone as SharedZone & { readonly fd: number };
}

async function runAdder(fd: number, row: number, times: number): Promise<number> {
  const child = Bun.spawn([process.execPath, ADDER, String(row), String(times)], {
    stdio: ["ignore", "inherit", "inherit", fd],
  });
  return await child.exited;
}

test("every row and every kind of number has memory of its own", () => {
  for (const zone of [SharedZone.local(SHAPE), create()]) {
    for (let row = 0; row < SHAPE.rows; row++) {
      zone.counters(row).fill(row + 1);
      zone.cells(row).fill(-row - 1);
    }
    for (let row = 0; row < SHAPE.rows; row++) {
      expect([...zone.counters(row)]).toEqual(Array(SHAPE.counters).fill(row + 1));
      expect([...zone.cells(row)]).toEqual(Array(SHAPE.cells).fill(-row - 1));
    }
  }
});

test("a row that does not exist is refused", () => {
  const zone = SharedZone.local(SHAPE);
  expect(() => zone.counters(3)).toThrow("Cannot use row 3 of the shared memory: it has 3");
  expect(() => zone.cells(-1)).toThrow();
});

test("a zone is refused if its size must be a mistake", () => {
  expect(() => SharedZone.local({ rows: 1000, counters: 1_000_000, cells: 0 })).toThrow("Cannot share");
});

test("a zone begins with zeros, is private to its user, and leaves no file behind", () => {
  const { fd, ...zone } = create();
  const { mode, nlink, size } = fstatSync(fd);
  expect([mode & 0o777, nlink]).toEqual([0o600, 0]);
  expect(size).toBeGreaterThanOrEqual(3 * (5 * 8 + 2 * 4));
  expect(zone.shape).toEqual(SHAPE);
  expect(readdirSync("/dev/shm").filter((name) => name.startsWith("turnpike-"))).toEqual([]);
});

test("processes count in one zone, and no addition is lost", async () => {
  const times = 200_000;
  const zone = create();
  zone.cells(0)[0] = 7;
  const codes = await Promise.all([1, 2].map((row) => runAdder(zone.fd, row, times)));
  expect(codes).toEqual([0, 0]);
  expect([zone.counters(1)[0], zone.counters(2)[0]]).toEqual([times, times]);
  expect(zone.cells(0)[0]).toBe(7 + 2 * times);
});

test("a zone of another shape is not opened", async () => {
  const zone = create();
  const child = Bun.spawn([process.execPath, ADDER, "1", "1", "100000"], {
    stdio: ["ignore", "ignore", "pipe", zone.fd],
  });
  expect(await new Response(child.stderr).text()).toContain("it has another layout");
  expect(await child.exited).not.toBe(0);
});
