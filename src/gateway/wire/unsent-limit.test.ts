import { expect, test } from "bun:test";
import { createConnection } from "node:net";
import { unacknowledged } from "../../lib/net/unacknowledged.ts";
import { DEAF, listen } from "./tcp.ts";
import { MAX_UNSENT_BYTES } from "./unsent-limit.ts";
import { type Wire } from "./wire.ts";

/** Writes until the kernel takes no more, and returns the bytes that it keeps for a peer that reads nothing. */
async function kept(wire: Wire): Promise<number> {
  const chunk = new Uint8Array(1024 * 1024);
  // Each write wakes the peer's system, which then opens its window.
  for (let refusals = 0; refusals < 20; ) {
    if (wire.write(chunk, 0, chunk.length) > 0) refusals = 0;
    else refusals++;
    await Bun.sleep(1);
  }
  return unacknowledged(Number(Reflect.get(wire, "fd")));
}

test("the kernel keeps a limited number of bytes for a client that reads nothing", async () => {
  const accepted = Promise.withResolvers<Wire>();
  const listener = listen({
    address: "127.0.0.1",
    port: 0,
    reusePort: false,
    accept(wire) {
      accepted.resolve(wire);
      return DEAF;
    },
    onError() {},
  });
  const client = createConnection(listener.port, "127.0.0.1").pause();
  const wire = await accepted.promise;
  expect(await kept(wire)).toBeLessThan(MAX_UNSENT_BYTES * 1.5);
  wire.terminate();
  client.destroy();
  listener.stop();
});
