import { expect, test } from "bun:test";
import { SharedZone } from "../../../lib/memory/shared-zone.ts";
import { MAX_SERVERS } from "../../config/max-servers.ts";
import { zoneShape } from "../../telemetry/metrics/layout.ts";
import { ServerStates } from "../outlier-detection.ts";
import { Slots } from "./slots.ts";

function setUp(): { slots: Slots; worker: ServerStates } {
  const zone = SharedZone.local(zoneShape(1));
  return { slots: new Slots(new ServerStates(zone, 0)), worker: new ServerStates(zone, 1) };
}

test("a server keeps its slot while it is kept, and each server has its own slot", () => {
  const { slots } = setUp();
  const [a, b] = [slots.take("a"), slots.take("b")];
  expect(a).not.toBe(b);
  slots.keep(new Set(["a"]));
  expect(slots.take("a")).toBe(a ?? -1);
});

test("the number of slots is limited, and a freed slot is reused with its state cleared", () => {
  const { slots, worker } = setUp();
  const taken = Array.from({ length: MAX_SERVERS }, (_, i) => slots.take(String(i)));
  expect(new Set(taken).size).toBe(MAX_SERVERS);
  expect(slots.take("one more")).toBeUndefined();
  const seventh = taken[7] ?? -1;
  worker.failed(seventh, { maxFails: 1, failTimeoutMs: 60_000 });
  slots.keep(
    new Set(
      taken
        .keys()
        .map(String)
        .filter((key) => key !== "7"),
    ),
  );
  expect(slots.take("one more")).toBe(seventh);
  expect(worker.isInRotation(seventh, 60_000)).toBe(true);
  expect(worker.fails(seventh)).toBe(0);
});

test("a slot with which a worker still has a request in flight is not given to another server", () => {
  const { slots, worker } = setUp();
  for (let i = 0; i < MAX_SERVERS; i++) slots.take(String(i));
  const slot = slots.take("7") ?? -1;
  worker.began(slot);
  slots.keep(new Set(Array.from({ length: MAX_SERVERS }, (_, i) => String(i)).filter((key) => key !== "7")));
  expect(slots.take("one more")).toBeUndefined();
  worker.ended(slot);
  expect(slots.take("one more")).toBe(slot);
});
