import { expect, test } from "bun:test";
import { SharedZone } from "../../../lib/memory/shared-zone.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { zoneShape } from "../../telemetry/metrics/layout.ts";
import { UsageCounters } from "../../telemetry/usage.ts";
import { UsageDeltas } from "./usage-deltas.ts";

test("a worker that is suspended in the middle of a count loses nothing, however often the counts are taken", () => {
  const zone = SharedZone.local(zoneShape(1));
  const deltas = new UsageDeltas(zone, Date.now);
  const route = new UsageCounters(zone, 1).route("/");
  const taken: (readonly [consumer: string, requests: number, bytes: number])[] = [];
  const take = (): void => {
    for (const use of deltas.take(true).routes) taken.push([use.consumer, use.requests, use.requestBytes]);
  };
  const exchange = {
    isAuthorized: true,
    consumer: "alice",
    status: 200,
    bytesSent: 10,
    get bytesReceived(): number {
      for (let i = 0; i < 3; i++) take();
      return 1;
    },
  };
  // The only members that the counters read.
  route.count(exchange as Exchange);
  take();
  route.count({ ...exchange, bytesReceived: 1 } as Exchange);
  take();
  const sum = (at: 1 | 2): number => taken.reduce((total, use) => total + use[at], 0);
  expect([sum(1), sum(2)]).toEqual([2, 2]);
  expect(new Set(taken.map(([consumer]) => consumer))).toEqual(new Set(["alice"]));
});
