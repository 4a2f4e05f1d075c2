import { expect, test } from "bun:test";
import { connect, createServer, Socket } from "node:net";
import { listenOnLoopback } from "../../lib/testing/listen.ts";
import { NetworkAccess, plainAddress, proxyUrl } from "./proxy-access.ts";

test("clients in the networks are admitted, and the last other one is named", async () => {
  const server = createServer((socket) => socket.resume());
  const port = await listenOnLoopback(server);
  const client = connect(port, "127.0.0.1");
  await new Promise((resolve) => client.once("connect", resolve));
  const closed = new NetworkAccess("127.0.0.1", ["192.0.2.0/24"]);
  expect([closed.admits(client), closed.refused]).toEqual([false, "127.0.0.1"]);
  const open = new NetworkAccess("127.0.0.1", ["127.0.0.0/8"]);
  expect([open.admits(client), open.refused]).toEqual([true, undefined]);
  client.destroy();
  server.close();
});

test("a client that has left before it is checked has no address, and is refused", () => {
  const access = new NetworkAccess("127.0.0.1", ["0.0.0.0/0", "::/0"]);
  expect([access.admits(new Socket()), access.refused]).toEqual([false, undefined]);
});

test.each([
  ["::ffff:192.0.2.1", "192.0.2.1"],
  ["fe80::1%eth0", "fe80::1"],
  ["2001:db8::1", "2001:db8::1"],
])("the address %s of a socket is %s", (address, plain) => {
  expect(plainAddress(address)).toBe(plain);
});

test("the address of a proxy over IPv6 is in brackets", () => {
  expect(proxyUrl(new NetworkAccess("::1", []), 80)).toBe("http://[::1]:80");
});
