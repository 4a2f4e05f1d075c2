import { expect, test } from "bun:test";
import { connect, createServer, type Socket } from "node:net";
import { listenOnLoopback } from "../../lib/testing/listen.ts";
import { isOwnPeer } from "./peer.ts";
import { openSocketOwner } from "./socket-owner.ts";

test("a connection of our own is told from one that the kernel does not list as ours", async () => {
  const accepted = Promise.withResolvers<Socket>();
  const server = createServer((socket) => accepted.resolve(socket));
  const port = await listenOnLoopback(server);
  const client = connect({ host: "127.0.0.1", port });
  const socket = await accepted.promise;
  expect(await isOwnPeer(port, socket.remotePort ?? 0)).toBe(true);
  expect(await isOwnPeer(port, 1)).toBe(process.platform !== "linux");
  const many = await Promise.all(Array.from({ length: 20 }, () => isOwnPeer(port, socket.remotePort ?? 0)));
  expect(many).not.toContain(false);
  const owner = openSocketOwner();
  if (owner !== undefined) {
    expect(owner(socket.remotePort ?? 0, port)).toBe(process.geteuid?.() ?? -1);
    expect(owner(1, port)).toBeUndefined();
  }
  client.destroy();
  socket.destroy();
  server.close();
});
