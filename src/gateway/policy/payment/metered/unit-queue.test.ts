import { expect, test } from "bun:test";
import { UnitQueue } from "./unit-queue.ts";

class Sink {
  readonly pieces: string[] = [];
  takes = true;
  data(chunk: Uint8Array, start = 0, end = chunk.length): boolean {
    this.pieces.push(Buffer.from(chunk.subarray(start, end)).toString());
    return this.takes;
  }
  end(): void {}
  abort(): void {}
}

function push(queue: UnitQueue, text: string): void {
  queue.push(Buffer.from(`<${text}>`), 1, text.length + 1);
}

test("bytes leave up to an index of the body, in their order, and each once", () => {
  const queue = new UnitQueue();
  const sink = new Sink();
  push(queue, "one");
  push(queue, "");
  push(queue, "two");
  expect(queue.passTo(0, sink)).toBe(true);
  expect(queue.passTo(2, sink)).toBe(true);
  expect(queue.passTo(2, sink)).toBe(true);
  expect(queue.passTo(4, sink)).toBe(true);
  push(queue, "three");
  expect(queue.passTo(Number.POSITIVE_INFINITY, sink)).toBe(true);
  expect(sink.pieces).toEqual(["on", "e", "t", "wo", "three"]);
});

test("a full sink gets the rest too, and a cleared queue is empty", () => {
  const queue = new UnitQueue();
  const sink = new Sink();
  sink.takes = false;
  push(queue, "one");
  push(queue, "two");
  expect(queue.passTo(6, sink)).toBe(false);
  push(queue, "three");
  queue.clear();
  expect(queue.passTo(20, sink)).toBe(true);
  expect(sink.pieces).toEqual(["one", "two"]);
});
