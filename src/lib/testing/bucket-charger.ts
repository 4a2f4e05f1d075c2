/** Takes tokens from the buckets of a shared zone, which is descriptor 3, and prints how many of each key it got. */
import { SharedZone } from "../memory/shared-zone.ts";
import { BUCKET_BYTES, TokenBuckets } from "../memory/token-buckets.ts";

const [keys = 0, cost = 0, burst = 0] = process.argv.slice(2).map(Number);
const zone = SharedZone.open({ rows: 1, counters: 0, cells: 0, common: BUCKET_BYTES }, 3);
// The clock stands still, so that only the burst is allowed.
const buckets = new TokenBuckets(zone.common(), () => 0);
const space = buckets.space("route");
const counts = Array.from({ length: keys }, () => 0);
for (let round = 0; round < burst * 4; round++) {
  for (let key = 0; key < keys; key++) {
    if (buckets.charge(space, `key ${key}`, { cost, burst }).allowed) counts[key] = (counts[key] ?? 0) + 1;
  }
}
console.log(JSON.stringify(counts));
