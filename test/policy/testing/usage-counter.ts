/** Counts requests of random consumers in a shared zone, which is descriptor 3. */
import { type Exchange } from "../../../src/gateway/exchange/exchange.ts";
import { zoneShape } from "../../../src/gateway/telemetry/metrics/layout.ts";
import { UsageCounters } from "../../../src/gateway/telemetry/usage.ts";
import { SharedZone } from "../../../src/lib/memory/shared-zone.ts";

const [workers = 0, row = 0, consumers = 0, times = 0] = process.argv.slice(2).map(Number);
const route = new UsageCounters(SharedZone.open(zoneShape(workers), 3), row).route("/");
for (let round = 0; round < times; round++) {
  for (let i = 0; i < consumers; i++) {
    // The part of an exchange that the counters read.
    route.count({
      isAuthorized: true,
      consumer: `consumer ${i}`,
      status: 200,
      bytesReceived: 1,
      bytesSent: 7,
    } as Exchange);
  }
}
