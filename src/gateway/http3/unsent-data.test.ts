import { expect, test } from "bun:test";
import { BufferPool } from "../../lib/memory/buffer-pool.ts";
import { UnsentData } from "./unsent-data.ts";

function create(bytes = 1_000_000) {
  const pool = new BufferPool({ bufferSize: 1, bufferCount: bytes, reserve: 0 });
  const quic = { stats: { bytesSent: 0n } };
  return { pool, quic, data: new UnsentData(pool) };
}

test("the first 4,096 bytes of a response are not counted", () => {
  const { pool, quic, data } = create();
  expect(data.add(4000, quic)).toBe(true);
  expect(data.add(96, quic)).toBe(true);
  expect(pool.used).toBe(0);
  data.add(1, quic);
  expect(pool.used).toBe(1);
  data.add(100, quic);
  expect(pool.used).toBe(101);
});

test("a piece that goes beyond the first 4,096 bytes counts with its part beyond them", () => {
  const { pool, quic, data } = create();
  data.add(4196, quic);
  expect(pool.used).toBe(100);
});

test("bytes that the engine has sent are returned when more than 65,536 would be counted", () => {
  const { pool, quic, data } = create();
  data.add(4096, quic);
  data.add(60_000, quic);
  quic.stats.bytesSent = 54_096n;
  data.add(5536, quic);
  expect(pool.used).toBe(65_536);
  data.add(1, quic);
  // 10,000 and 5,536 that are not sent.
  expect(pool.used).toBe(15_537);
});

test("a recount returns what was sent, and nothing if more is unsent than counts", () => {
  const { pool, quic, data } = create();
  data.add(14_096, quic);
  data.recount(quic);
  expect(pool.used).toBe(10_000);
  quic.stats.bytesSent = 4096n;
  data.recount(quic);
  expect(pool.used).toBe(10_000);
  quic.stats.bytesSent = 4097n;
  data.recount(quic);
  expect(pool.used).toBe(9999);
  // The engine counts the frames of the body too.
  quic.stats.bytesSent = 14_100n;
  data.recount(quic);
  expect(pool.used).toBe(0);
});

test("bytes without room in the pool are refused, and what is counted returns at the end", () => {
  const { pool, quic, data } = create(1000);
  expect(data.add(5096, quic)).toBe(true);
  expect(data.add(1, quic)).toBe(false);
  expect(pool.used).toBe(1000);
  data.release();
  expect(pool.used).toBe(0);
  data.release();
  expect(pool.used).toBe(0);
});
