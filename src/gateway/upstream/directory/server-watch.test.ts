import { beforeEach, expect, test } from "bun:test";
import { SharedZone } from "../../../lib/memory/shared-zone.ts";
import { SUPERVISOR_ROW, zoneShape } from "../../telemetry/metrics/layout.ts";
import { type NewEvent } from "../../telemetry/event.ts";
import { type Member } from "../member.ts";
import { ServerStates } from "../outlier-detection.ts";
import { ServerWatch } from "./server-watch.ts";

const MEMBER: Member = {
  endpoint: { address: "10.0.0.1", port: 80 },
  weight: 1,
  maxFails: 2,
  failTimeoutMs: 1000,
  backup: false,
  slot: 5,
};

let now: number;
let worker: ServerStates;
let events: NewEvent[];
let look: (members?: readonly Member[]) => string[];

beforeEach(() => {
  now = 1_800_000_000_000;
  const zone = SharedZone.local(zoneShape(1));
  const clock = (): number => now;
  worker = new ServerStates(zone, 1, clock, clock);
  const states = new ServerStates(zone, SUPERVISOR_ROW, clock, clock);
  const watch = new ServerWatch(states, (event) => void events.push(event));
  look = (members = [MEMBER]) => {
    events = [];
    watch.look([["app", members]]);
    return events.map(({ message }) => message);
  };
});

const REASON = "no response came in time";
const OUT = `upstream "app": server 10.0.0.1:80 is out of rotation for 1000 ms: requests to it failed: ${REASON}`;
const BACK = 'upstream "app": server 10.0.0.1:80 may get requests again';

test("a server that failed requests put out of rotation is reported once, and its return once", () => {
  expect(look()).toEqual([]);
  worker.failed(5, MEMBER, "late");
  expect(look()).toEqual([]);
  worker.failed(5, MEMBER, "late");
  expect(look()).toEqual([OUT]);
  expect(events[0]).toMatchObject({ kind: "server_health", details: { in_rotation: false, reason: REASON } });
  expect(look()).toEqual([]);
  now += 1000;
  expect(look()).toEqual([BACK]);
  expect(events[0]?.details).toEqual({ upstream: "app", server: "10.0.0.1:80", by_requests: true, in_rotation: true });
  expect(look()).toEqual([]);
});

test("a server that was out of rotation and returned between two looks is reported as well", () => {
  look();
  for (let i = 0; i < 2; i++) worker.failed(5, MEMBER, "late");
  worker.succeeded(5);
  expect(look()).toEqual([OUT, BACK]);
});

test("a slot that another server has taken starts again", () => {
  for (let i = 0; i < 2; i++) worker.failed(5, MEMBER, "late");
  expect(look()).toEqual([OUT]);
  worker.reset(5);
  expect(look([{ ...MEMBER, endpoint: { address: "10.0.0.2", port: 80 } }])).toEqual([]);
});
