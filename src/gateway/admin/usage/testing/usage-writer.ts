/**
 * Counts the same usage for two consumers in a shared zone, which is descriptor 3, and writes usage all the time until
 * it is killed.
 */
import { SharedZone } from "../../../../lib/memory/shared-zone.ts";
import { openUsageStore } from "../../../../store/open/open-store.ts";
import { openPostgresUsage } from "../../../../store/postgres/open-postgres-store.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { zoneShape } from "../../../telemetry/metrics/layout.ts";
import { UsageCounters } from "../../../telemetry/usage.ts";
import { UsageKeeper } from "../usage-keeper.ts";

const [path = "", settings = ""] = process.argv.slice(2);
const zone = SharedZone.open(zoneShape(1), 3);
const open = () => (settings === "" ? openUsageStore(path) : openPostgresUsage(JSON.parse(settings)));
const keeper = new UsageKeeper({ zone, open, log: (line) => console.log(line), flushMs: 1 });
keeper.start();
const route = new UsageCounters(zone, 1).route("/");
// The only members that the counters read.
const ended = { isAuthorized: true, status: 200, bytesReceived: 1, bytesSent: 10 };
setInterval(() => {
  for (const consumer of ["alice", "bob"]) route.count({ ...ended, consumer } as Exchange);
}, 1);
