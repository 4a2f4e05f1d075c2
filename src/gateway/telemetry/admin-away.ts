import { type SharedZone } from "../../lib/memory/shared-zone.ts";
import { COLUMN, SUPERVISOR_ROW } from "./metrics/layout.ts";

/** Tells all workers whether the gateway lacks its configured admin interface. */
export function setAdminAway(zone: SharedZone, isAway: boolean): void {
  zone.counters(SUPERVISOR_ROW)[COLUMN.adminAway] = Number(isAway);
}

/** The gateway lacks its configured admin interface: it starts, or another gateway of a take-over has the port. */
export function isAdminAway(zone: SharedZone): boolean {
  return zone.counters(SUPERVISOR_ROW)[COLUMN.adminAway] === 1;
}
