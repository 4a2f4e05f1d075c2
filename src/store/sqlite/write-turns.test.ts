import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { isBusy, WriteTurns } from "./write-turns.ts";

const BUSY = Object.assign(new Error("busy"), { code: "SQLITE_BUSY" });

/** Writes to a file that another process holds, by a clock of its own. */
class Bed {
  now = 0;
  isHeld = true;
  attempts = 0;
  readonly turns: WriteTurns;

  constructor(mostMs = 1000) {
    this.turns = new WriteTurns(mostMs, () => this.now);
  }

  write(value: number, takesMs = 0): Promise<number> {
    return this.turns.run(() => {
      this.attempts += 1;
      if (this.isHeld) throw BUSY;
      this.now += takesMs;
      return value;
    });
  }

  pass(ms: number): void {
    this.now += ms;
    jest.advanceTimersByTime(ms);
  }
}

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

describe("a write to a file that another process writes to", () => {
  test("is made at once if the file is free, and fails at once if it fails otherwise", async () => {
    const bed = new Bed();
    bed.isHeld = false;
    expect(await bed.write(1)).toBe(1);
    const failure = new Error("constraint");
    const failing = bed.turns.run(() => {
      throw failure;
    });
    expect(failing).rejects.toBe(failure);
    expect(bed.attempts).toBe(1);
  });

  test("is tried again after 2 ms, then after pauses that double up to 50 ms", async () => {
    const bed = new Bed(10_000);
    const write = bed.write(1);
    const pauses = [2, 4, 8, 16, 32, 50, 50];
    for (const [n, pause] of pauses.entries()) {
      bed.pass(pause - 1);
      expect(bed.attempts).toBe(n + 1);
      bed.pass(1);
      expect(bed.attempts).toBe(n + 2);
    }
    bed.isHeld = false;
    bed.pass(50);
    expect(await write).toBe(1);
    bed.isHeld = true;
    const next = bed.write(2);
    const before = bed.attempts;
    bed.pass(2);
    expect(bed.attempts).toBe(before + 1);
    bed.turns.close();
    expect(next).rejects.toBe(BUSY);
  });

  test("waits for its turn, and fails after its time", async () => {
    const bed = new Bed(10);
    const [first, second] = [bed.write(1), bed.write(2)];
    expect(bed.attempts).toBe(1);
    bed.pass(2);
    bed.pass(4);
    bed.now = 9;
    jest.advanceTimersByTime(8);
    const outcomes = Promise.allSettled([first, second]);
    bed.now = 10;
    jest.advanceTimersByTime(16);
    expect((await outcomes).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    bed.isHeld = false;
    expect(await bed.write(3)).toBe(3);
  });

  test("that fails for a reason of its own takes no other with it", async () => {
    const bed = new Bed();
    const first = bed.turns.run(() => {
      if (bed.isHeld) throw BUSY;
      throw new Error("constraint");
    });
    const second = bed.write(2);
    bed.isHeld = false;
    bed.pass(2);
    expect(first).rejects.toThrow("constraint");
    expect(await second).toBe(2);
  });

  test("that waits runs without a pause for 10 ms, then after the other events", async () => {
    const bed = new Bed();
    const writes = [1, 2, 3].map((value) => bed.write(value, 10.5));
    bed.isHeld = false;
    bed.pass(2);
    expect(await writes[0]).toBe(1);
    expect(bed.attempts).toBe(2);
    jest.advanceTimersByTime(10);
    expect(await Promise.all(writes)).toEqual([1, 2, 3]);
    const before = bed.attempts;
    const more = [4, 5].map((value) => {
      bed.isHeld = true;
      return bed.write(value, 10);
    });
    bed.isHeld = false;
    bed.pass(2);
    expect(bed.attempts).toBe(before + 3);
    expect(await Promise.all(more)).toEqual([4, 5]);
  });

  test("is refused if 1,024 others wait, and all fail at the end", async () => {
    const bed = new Bed();
    const waiting = Promise.allSettled(Array.from({ length: 1024 }, (_, value) => bed.write(value)));
    expect(bed.write(0)).rejects.toBe(BUSY);
    bed.turns.close();
    expect((await waiting).map((one) => one.status === "rejected" && one.reason)).toEqual(Array(1024).fill(BUSY));
    expect(bed.attempts).toBe(1);
    bed.pass(1000);
    expect(bed.attempts).toBe(1);
  });
});

test("a file is busy by the code of the error", () => {
  expect([isBusy(BUSY), isBusy(new Error("SQLITE_BUSY")), isBusy(undefined)]).toEqual([true, false, false]);
});
