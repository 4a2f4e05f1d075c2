import { expect, test } from "bun:test";
import { SharedZone } from "../../../lib/memory/shared-zone.ts";
import { Funnel } from "../../telemetry/funnel.ts";
import { FUNNEL_STEPS } from "../../telemetry/metrics/funnel-steps.ts";
import { SUPERVISOR_ROW, zoneShape } from "../../telemetry/metrics/layout.ts";
import { daysOf, entryOf, FunnelDeltas, FunnelHour, usesOf } from "./funnel-history.ts";

const MINUTE_MS = 60_000;
const DAY = 20_000;

function open() {
  const zone = SharedZone.local(zoneShape(1));
  const clock = { now: DAY * 86_400_000 };
  const funnel = new Funnel(zone, SUPERVISOR_ROW);
  const client = new Funnel(zone, 1).route("/goods").of({ fields: "User-Agent: curl/8\r\n" });
  return { clock, funnel, client, hour: new FunnelHour(funnel, () => clock.now) };
}

test("the counts of a minute are one period, and minutes are kept for an hour", () => {
  const { clock, client, hour } = open();
  const start = clock.now;
  expect(hour.read()).toEqual([]);
  client.count("challenged");
  hour.note();
  clock.now += MINUTE_MS - 1;
  client.count("challenged");
  client.count("delivered");
  const [period, ...others] = hour.read();
  expect(others).toEqual([]);
  expect(period).toMatchObject({
    time_ms: start,
    entries: [{ route: "/goods", stages: { challenged: 2, delivered: 1 } }],
  });
  clock.now += 1;
  client.count("challenged");
  expect(hour.read().map(({ time_ms, entries }) => [time_ms - start, entries[0]?.stages])).toEqual([
    [0, { challenged: 2, delivered: 1 }],
    [MINUTE_MS, { challenged: 1 }],
  ]);
  clock.now = start + 60 * MINUTE_MS - 1;
  expect(hour.read()).toHaveLength(2);
  clock.now += 1;
  expect(hour.read().map(({ time_ms }) => time_ms - start)).toEqual([MINUTE_MS]);
});

test("minutes of a later time are dropped when the clock is set back", () => {
  const { clock, client, hour } = open();
  client.count("challenged");
  hour.note();
  clock.now -= 10 * MINUTE_MS;
  client.count("delivered");
  expect(hour.read()).toMatchObject([{ time_ms: clock.now, entries: [{ stages: { delivered: 1 } }] }]);
});

test("counts are taken once, and stored days are read as they were counted, without steps of a newer version", () => {
  const { funnel, client } = open();
  const deltas = new FunnelDeltas(funnel);
  client.count("challenged");
  client.count("challenged");
  const uses = usesOf(DAY, deltas.take());
  expect(uses).toMatchObject([{ day: DAY, route: "/goods", step: "challenged", count: 2 }]);
  expect(deltas.take()).toEqual([]);
  client.count("delivered");
  const later = usesOf(DAY - 1, deltas.take());
  expect(later).toMatchObject([{ day: DAY - 1, step: "delivered", count: 1 }]);
  const [first, second] = daysOf([
    ...uses,
    { ...(uses[0] ?? expect.unreachable()), step: "of a newer version" },
    ...later,
  ]);
  expect([first, second]).toMatchObject([
    { time_ms: (DAY - 1) * 86_400_000, entries: [{ stages: { delivered: 1 } }] },
    { time_ms: DAY * 86_400_000, entries: [{ route: "/goods", stages: { challenged: 2 } }] },
  ]);
});

test("each step is stored and read as itself", () => {
  for (const [i, step] of FUNNEL_STEPS.entries()) {
    const counts = new Float64Array(FUNNEL_STEPS.length);
    counts[i] = 7;
    const entry = { route: "/goods", client: "agent", counts };
    const uses = usesOf(DAY, [{ index: 0, ...entry }]);
    expect(uses).toEqual([{ day: DAY, route: "/goods", client: "agent", step, count: 7 }]);
    expect(daysOf(uses)).toEqual([{ time_ms: DAY * 86_400_000, entries: [entryOf(entry)] }]);
  }
});
