/** A process that counts in a zone: `ROW TIMES [COUNTERS]`, with the zone as descriptor 3. */
import { SharedZone } from "../memory/shared-zone.ts";

const [row, times, counters = 5] = process.argv.slice(2).map(Number);
const zone = SharedZone.open({ rows: 3, counters, cells: 2 }, 3);
const own = zone.counters(row ?? 0);
const shared = zone.cells(0);
for (let i = 0; i < (times ?? 0); i++) {
  own[0] = (own[0] ?? 0) + 1;
  Atomics.add(shared, 0, 1);
}
