import { expect, test } from "bun:test";
import { type OverviewSnapshot } from "../shapes/overview.ts";
import { KeptHistory } from "./kept-history.ts";

const NOW = 1_800_000_000_000;

/** Nothing else of it is read. */
function snapshotAt(time_ms: number): OverviewSnapshot {
  return { time_ms, durations: { counts: [] } } as unknown as OverviewSnapshot;
}

test("figures are kept after the clock was set back, and those of a later time are dropped", () => {
  const kept = new KeptHistory();
  for (const time of [0, 10_000, 20_000, 20_000, 15_000, -86_400_000, -86_390_000, -86_375_000]) {
    kept.add(snapshotAt(NOW + time));
  }
  const { samples, minute } = kept.read(NOW - 86_375_000);
  expect(samples.map(({ time_ms }) => time_ms - NOW)).toEqual([-86_400_000, -86_390_000, -86_375_000]);
  expect((minute?.time_ms ?? 0) - NOW).toBe(-86_400_000);
});

test("figures of the same time count once", () => {
  const kept = new KeptHistory();
  for (const time of [0, 20_000, 20_000]) kept.add(snapshotAt(NOW + time));
  expect(kept.read(NOW + 70_000)).toMatchObject({ samples: [{}, {}], minute: { time_ms: NOW + 20_000 } });
});
