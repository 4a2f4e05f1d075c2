import { expect, test } from "bun:test";
import { GrowingBytes } from "./growing-bytes.ts";

test("bytes are joined, in memory that doubles", () => {
  const bytes = new GrowingBytes();
  bytes.add(Buffer.from("<abc>"), 1, 4);
  expect([bytes.length, bytes.memory]).toEqual([3, 1024]);
  bytes.add(Buffer.alloc(1021, "d"), 0, 1021);
  expect(bytes.memory).toBe(1024);
  bytes.add(Buffer.from("e"), 0, 1);
  expect([bytes.length, bytes.memory]).toEqual([1025, 2048]);
  bytes.add(Buffer.alloc(5000, "f"), 0, 5000);
  expect(bytes.memory).toBe(6025);
  expect(Buffer.from(bytes.take()).toString()).toBe(`abc${"d".repeat(1021)}e${"f".repeat(5000)}`);
  expect([bytes.length, bytes.memory, bytes.take().length]).toEqual([0, 0, 0]);
});
