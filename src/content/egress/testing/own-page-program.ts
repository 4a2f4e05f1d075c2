/**
 * Prints how visits to pages at an address of this machine end, for each engine. It runs in a separate network
 * namespace.
 */
import { giveAddress } from "../../../lib/testing/own-network.ts";
import { EgressSession, PUBLIC_WEB } from "../guard.ts";
import { startContentService } from "../../service.ts";
import { call } from "../../testing/client.ts";
import { createStateFolder } from "../../testing/state-folder.ts";

const OWN = "9.9.9.77";
const hosts = ["9.9.9.77", "[2a00::7]", "[::ffff:9.9.9.77]"];

const state = createStateFolder();
const egress = new EgressSession({ policy: PUBLIC_WEB });
// The address does not belong to the machine yet.
const before = await egress.addressesOf(OWN, 80);
giveAddress(OWN);
giveAddress("2a00::7");
const during = await egress.addressesOf(OWN, 80);

let hits = 0;
const server = Bun.serve({
  hostname: "::",
  port: 80,
  fetch() {
    hits += 1;
    return new Response("<h1>admin</h1>", { headers: { "content-type": "text/html" } });
  },
});
const service = await startContentService({
  listen: { hostname: "127.0.0.1", port: 0 },
  stateDir: state.path,
  allowPrivate: false,
  log: () => undefined,
});
const types: unknown[] = [];
for (const engine of ["static", "browser"]) {
  for (const host of hosts)
    types.push((await call(service, "/scrape", { url: `http://${host}/`, engine })).json["type"]);
}
await service.close();
await server.stop(true);
state.remove();
console.log(JSON.stringify({ before, during, types: [...new Set(types)], hits }));
