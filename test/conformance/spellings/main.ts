/**
 * `npm run conformance -- spellings`: every spelling with one change and with two, to every server that this machine
 * has.
 */
import { play } from "./play.ts";

console.log("server | spellings that pass without a gateway | requests through the gateway | leaks");
const { missing, rows } = await play({
  depth: 2,
  onRow({ upstream, direct, asked, leaks }) {
    console.log(`${upstream} | ${direct} | ${asked} | ${leaks.length}`);
    for (const leak of leaks.slice(0, 50)) console.log(`  ${leak}`);
  },
});
for (const name of missing) console.log(`${name} | not installed`);
const leaks = rows.reduce((sum, row) => sum + row.leaks.length, 0);
const asked = rows.reduce((sum, row) => sum + row.asked, 0);
console.log(`${leaks} of ${asked} requests got what their route does not guard`);
if (leaks > 0) process.exitCode = 1;
