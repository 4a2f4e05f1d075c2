import { expect, test } from "bun:test";
import { MetricTable } from "./metric-table.ts";

const MAX_METRICS = 256;

function create() {
  const changes: string[] = [];
  const table = new MetricTable((type, name) => ({
    add: (amount) => void changes.push(`${type} ${name} + ${amount}`),
    record: (value) => void changes.push(`${type} ${name} = ${value}`),
  }));
  return { changes, table };
}

test("a metric has one id for its type and name", () => {
  const { table } = create();
  const ids = [table.define("counter", "a"), table.define("gauge", "a"), table.define("counter", "b")];
  expect([ids, table.define("counter", "a")]).toEqual([[0, 1, 2], 0]);
  expect([table.has(2), table.has(3), table.get(3), table.add(3, 1), table.record(3, 1)]).toEqual([
    true,
    false,
    undefined,
    false,
    false,
  ]);
});

test("a counter only grows, by an amount or to a value", () => {
  const { changes, table } = create();
  const id = table.define("counter", "a");
  expect([table.add(id, 2), table.add(id, 0), table.add(id, -1), table.get(id)]).toEqual([true, true, false, 2]);
  expect([table.record(id, 7), table.get(id), table.record(id, 3), table.get(id)]).toEqual([true, 7, true, 7]);
  expect(changes).toEqual(["counter a + 2", "counter a + 0", "counter a + 5", "counter a + 0"]);
});

test("a gauge goes up and down, and is set", () => {
  const { changes, table } = create();
  const id = table.define("gauge", "a");
  expect([table.add(id, 2), table.add(id, -5), table.get(id), table.record(id, 9), table.get(id)]).toEqual([
    true,
    true,
    -3,
    true,
    9,
  ]);
  expect(changes).toEqual(["gauge a + 2", "gauge a + -5", "gauge a = 9"]);
});

test("a histogram takes values, and has no value to read", () => {
  const { changes, table } = create();
  const id = table.define("histogram", "a");
  expect([table.add(id, 1), table.record(id, 4), table.get(id)]).toEqual([false, true, undefined]);
  expect(changes).toEqual(["histogram a = 4"]);
});

test("the number of metrics is limited", () => {
  const { table } = create();
  for (let i = 0; i < MAX_METRICS; i++) expect(table.define("gauge", String(i))).toBe(i);
  expect([table.define("gauge", "more"), table.define("gauge", "0")]).toEqual([-1, 0]);
});
