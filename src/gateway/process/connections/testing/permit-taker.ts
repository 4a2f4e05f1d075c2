/**
 * A process that takes and releases permits as fast as it can. Its arguments are `ROW ROWS TIMES MAX`, and the zone is
 * its descriptor 3. Prints the most permits that were taken at once, and the number that this process took.
 */
import { SharedZone } from "../../../../lib/memory/shared-zone.ts";
import { SharedConnectionCounter } from "../shared-connection-counter.ts";

const [row = 0, rows = 0, times = 0, max = 0] = process.argv.slice(2).map(Number);
const zone = SharedZone.open({ rows, counters: 1, cells: 2 }, 3);
const connectionCounter = new SharedConnectionCounter({ zone, row });
/** Permits in use by all processes, counted in another way than the counter under test. */
const inUse = zone.cells(0);
let most = 0;
let taken = 0;
for (let i = 0; i < times; i++) {
  if (!connectionCounter.hasFree(max)) continue;
  connectionCounter.take();
  taken++;
  most = Math.max(most, Atomics.add(inUse, 1, 1) + 1);
  Atomics.sub(inUse, 1, 1);
  connectionCounter.release();
}
console.log(JSON.stringify({ most, taken }));
