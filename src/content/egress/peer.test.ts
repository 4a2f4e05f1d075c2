import { describe, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { connect, createServer, type Socket } from "node:net";
import { listenOnLoopback } from "../../lib/testing/listen.ts";
import { isOwnPeer, OwnPeers } from "./peer.ts";
import { openSocketOwner } from "./socket-owner.ts";

test("a connection of the same user is distinguished from one that the kernel does not list as such", async () => {
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

const isRoot = process.platform === "linux" && process.geteuid?.() === 0;

test.skipIf(!isRoot)("the end of another user is distinguished by the kernel", async () => {
  const accepted = Promise.withResolvers<Socket>();
  const server = createServer((socket) => accepted.resolve(socket));
  const port = await listenOnLoopback(server);
  const user = 66_051;
  const script = `exec 3<>/dev/tcp/127.0.0.1/${port}; read -u 3`;
  const other = spawn("/bin/bash", ["-c", script], { uid: user, cwd: "/", stdio: "ignore" });
  const socket = await accepted.promise;
  const owner = openSocketOwner();
  if (owner === undefined) throw new Error("the kernel reports no owners to root");
  expect([owner(socket.remotePort ?? 0, port), owner(port, socket.remotePort ?? 0)]).toEqual([user, 0]);
  expect(await isOwnPeer(port, socket.remotePort ?? 0)).toBe(false);
  socket.destroy();
  server.close();
  other.kill();
});

/** A row of the kernel's table, with ports in hexadecimal digits. */
const row = (peer: string, own: string, user: number) =>
  `  12: 0100007F:${peer} 0100007F:${own} 01 00000000:00000000 00:00000000 00000000  ${user}        0 700 1 0 20 4 30 10 -1\n`;

const noTable = () => Promise.reject(new Error("Cannot be read"));

/** Peers that only use a table, and the number of reads. */
function peersOf(table: string | undefined): { peers: OwnPeers; reads: () => number } {
  let reads = 0;
  const peers = new OwnPeers({
    owner: () => undefined,
    table: async () => {
      reads += 1;
      return table;
    },
  });
  return { peers, reads: () => reads };
}

describe("if the kernel does not report a connection", () => {
  const us = process.geteuid?.() ?? 0;
  const head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

  test("its table decides, by the row of the peer's end", async () => {
    const rows = head + row("0050", "01BB", us + 1) + row("01BB", "0050", us) + row("FFFF", "0001", us + 2);
    const { peers } = peersOf(rows);
    expect(await peers.includes(0x50, 0x1bb)).toBe(true);
    expect(await peers.includes(0x1bb, 0x50)).toBe(false);
    expect(await peers.includes(1, 0xffff)).toBe(false);
    expect(await peers.includes(2, 0xffff)).toBe(false);
  });

  test("every connection passes if there is no table", async () => {
    expect(await peersOf(undefined).peers.includes(1, 2)).toBe(true);
  });

  test("if the system does not allow asking, its table is read", async () => {
    const peers = new OwnPeers({ owner: undefined, table: async () => row("0002", "0001", us) });
    expect(await peers.includes(1, 2)).toBe(true);
    expect(await peers.includes(1, 3)).toBe(false);
  });

  test("the kernel's report counts, and the table is not read", async () => {
    const asked: number[][] = [];
    const owner = (user: number) => (port: number, other: number) => {
      asked.push([port, other]);
      return user;
    };
    expect(await new OwnPeers({ owner: owner(us), table: noTable }).includes(1, 2)).toBe(true);
    expect(await new OwnPeers({ owner: owner(us + 1), table: noTable }).includes(1, 2)).toBe(false);
    expect(asked).toEqual([
      [2, 1],
      [2, 1],
    ]);
  });

  test("connections that come while a table is read share it, and a missing one has it read again, once", async () => {
    const tables = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    let reads = 0;
    const table = () => tables[reads++]?.promise ?? Promise.reject(new Error("a third read"));
    const peers = new OwnPeers({ owner: undefined, table });
    const first = [2, 2].map((port) => peers.includes(1, port));
    await Promise.resolve();
    expect(reads).toBe(1);
    const later = [2, 3, 3].map((port) => peers.includes(1, port));
    tables[0]?.resolve(row("0002", "0001", us));
    expect(await Promise.all([...first, later[0]])).toEqual([true, true, true]);
    tables[1]?.resolve(row("0003", "0001", us));
    expect(await Promise.all(later)).toEqual([true, true, true]);
    expect(reads).toBe(2);
  });

  test("a later connection reads a new table", async () => {
    const { peers, reads } = peersOf(row("0002", "0001", us));
    await peers.includes(1, 2);
    await peers.includes(1, 2);
    expect(reads()).toBe(2);
  });
});
