import { expect, test } from "bun:test";
import { NewTraces, newSpanId, UNSAMPLED_BYTES } from "./new-traces.ts";

const TIMES = 1000;
/** 10 % of the range of 7 bytes. */
const TENTH = Math.ceil(0.1 * 2 ** 56);

test("traces have different ids, and those below the ratio are sampled", () => {
  const traces = new NewTraces(0.1);
  const ids = new Set<string>();
  for (let i = 0; i < TIMES; i++) {
    traces.next();
    const { id, isSampled } = traces;
    const { bytes, from } = traces.unsampled();
    const line = Buffer.from(bytes.subarray(from, from + UNSAMPLED_BYTES));
    ids.add(id);
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(isSampled).toBe(BigInt(`0x${id.slice(-14)}`) < BigInt(TENTH));
    expect(line.toString()).toBe(`traceparent: 00-${id}-${id.slice(16)}-00\r\n`);
  }
  expect(ids.size).toBe(TIMES);
});

test("the line of a trace does not change with later traces", () => {
  const traces = new NewTraces(0);
  traces.next();
  const { bytes, from } = traces.unsampled();
  const line = Buffer.from(bytes);
  for (let i = 0; i < TIMES; i++) traces.next();
  expect(Buffer.from(bytes)).toEqual(line);
  expect(from).toBe(0);
});

test("a ratio of 1 samples all traces, and a ratio of 0 samples none", () => {
  for (const share of [0, 1]) {
    const traces = new NewTraces(share);
    for (let i = 0; i < TIMES; i++) {
      traces.next();
      expect(traces.isSampled).toBe(share === 1);
    }
  }
});

test("spans have different ids", () => {
  const ids = new Set(Array.from({ length: TIMES }, newSpanId));
  expect(ids.size).toBe(TIMES);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
});
