import { expect, test } from "bun:test";
import { symlinkSync, unlinkSync } from "node:fs";
import { canMakeNetwork, runInOwnNetwork } from "../../lib/testing/own-network.ts";
import { DEAF, listen } from "../wire/tcp.ts";
import { dial, PrivateAddressError } from "./dial.ts";

function rethrow(error: unknown): never {
  throw error;
}

function letGo(wire: { terminate(): void }): typeof DEAF {
  wire.terminate();
  return DEAF;
}

async function reach(address: string, allowPrivate: boolean): Promise<void> {
  const listener = listen({ address: "127.0.0.1", port: 0, reusePort: false, accept: () => DEAF, onError: rethrow });
  try {
    await dial({ address, port: listener.port }, { allowPrivate, tls: undefined }, letGo, rethrow).done;
  } finally {
    listener.stop();
  }
}

for (const address of [
  "127.0.0.1",
  "10.0.0.1",
  "localhost",
  "::1",
  "169.254.169.254",
  "::ffff:10.0.0.1",
  "0177.0.0.1",
  "2130706433",
  "0x7f.1",
]) {
  test(`${address} is refused if private addresses are not allowed`, async () => {
    expect(reach(address, false)).rejects.toThrow(PrivateAddressError);
  });
}

test.skipIf(!canMakeNetwork)("a public address is refused once it is an address of this machine", () => {
  const program = new URL("testing/own-dial-program.ts", import.meta.url);
  expect(runInOwnNetwork(program)).toEqual({ connected: true, refused: ["9.9.9.77", "2a00::7"] });
});

test("a private address is reached if that is allowed", async () => {
  await reach("127.0.0.1", true);
});

test("a Unix socket is not a network address, and no check applies to it", async () => {
  const unix = `/tmp/turnpike-dial-${crypto.randomUUID()}.sock`;
  const server = Bun.listen({ unix, socket: { data() {} } });
  let accepted = false;
  const accept = (wire: { terminate(): void }): typeof DEAF => {
    accepted = true;
    return letGo(wire);
  };
  await dial({ unix }, { allowPrivate: false, tls: undefined }, accept, rethrow).done;
  server.stop(true);
  expect(accepted).toBe(true);
});

function reachUnix(unix: string, isResolved: boolean): Promise<unknown> {
  return dial({ unix }, { allowPrivate: true, tls: undefined, isResolved }, letGo, rethrow)
    .done.then(() => "reached")
    .catch(String);
}

test("a link in the path of a Unix socket is refused only if links have been resolved before", async () => {
  const unix = `/tmp/turnpike-dial-${crypto.randomUUID()}.sock`;
  const link = `${unix}-link`;
  const server = Bun.listen({ unix, socket: { data() {} } });
  symlinkSync(unix, link);
  expect([await reachUnix(link, false), await reachUnix(unix, true)]).toEqual(["reached", "reached"]);
  expect(await reachUnix(link, true)).toContain("a link is in the socket's path");
  expect(await reachUnix("/nowhere/a.sock", true)).not.toContain("link");
  unlinkSync(link);
  server.stop(true);
});

test("a connection that is aborted before it is open rejects, and is not accepted", async () => {
  const listener = listen({ address: "127.0.0.1", port: 0, reusePort: false, accept: () => DEAF, onError: rethrow });
  for (const [address, allowPrivate] of [
    ["127.0.0.1", true],
    ["localhost", true],
    ["203.0.113.1", false],
  ] as const) {
    const endpoint = { address, port: listener.port };
    const dialing = dial(endpoint, { allowPrivate, tls: undefined }, () => rethrow("accepted"), rethrow);
    dialing.abort();
    expect(dialing.done).rejects.toThrow();
  }
  listener.stop();
});
