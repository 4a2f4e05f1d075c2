import { join } from "node:path";
import { freePort } from "../../../src/lib/testing/listen.ts";
import { opened, type Proxy } from "../proxy.ts";

/** Not a product: the cost of the runtime's sockets alone. */
export const RELAY: Proxy = {
  name: "relay",
  installed: () => true,
  can: ({ client, upstream, caches }) => client === "http1" && upstream === "http1" && caches !== true,
  async start(children, { originPort }) {
    const port = await freePort();
    const bun = join(import.meta.dir, "../../../scripts/bun.mjs");
    const program = join(import.meta.dir, "../relay.ts");
    // Started like Turnpike, with the same settings of the runtime.
    const argv = ["node", bun, program, String(port), String(originPort)];
    return await opened("relay", port, children.spawn({ name: "relay", argv }));
  },
};
