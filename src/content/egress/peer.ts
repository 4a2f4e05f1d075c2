import { readFile } from "node:fs/promises";
import { openSocketOwner, type SocketOwner } from "./socket-owner.ts";

const CONNECTION_TABLE = "/proc/net/tcp";
/** The user id's place among the columns of a connection table row. */
const USER_COLUMN = 7;

let reading: Promise<string | undefined> | undefined;

/** One read serves every connection that comes while it runs; a row is there before its connection is accepted. */
function connectionTable(): Promise<string | undefined> {
  return readFile(CONNECTION_TABLE, "latin1").catch(() => undefined);
}

let owner: SocketOwner | false | undefined;

/**
 * Whether the process at the other end of a loopback connection runs as our own user: the kernel is
 * asked for the connection, and where it lets nobody ask, its table is read. Where there is no such table (not Linux)
 * nobody is told apart, and the answer is true.
 */
export async function isOwnPeer(ourPort: number, peerPort: number): Promise<boolean> {
  const ours = process.geteuid?.();
  if (ours === undefined) return true;
  owner ??= openSocketOwner() ?? false;
  const user = owner === false ? undefined : owner(peerPort, ourPort);
  if (user !== undefined) return user === ours;
  // A read that began before this connection may lack its row: then one more decides.
  const shared = reading;
  if (shared !== undefined && userOf(await shared, ourPort, peerPort) === ours) return true;
  reading ??= connectionTable().finally(() => {
    reading = undefined;
  });
  const table = shared === reading ? await connectionTable() : await reading;
  return table === undefined || userOf(table, ourPort, peerPort) === ours;
}

function userOf(table: string | undefined, ourPort: number, peerPort: number): number | undefined {
  if (table === undefined) return undefined;
  const start = table.indexOf(` ${loopback(peerPort)} ${loopback(ourPort)} `);
  if (start === -1) return undefined;
  const lineStart = table.lastIndexOf("\n", start) + 1;
  const lineEnd = table.indexOf("\n", start);
  return Number(table.slice(lineStart, lineEnd).trim().split(/\s+/)[USER_COLUMN]);
}

/** 127.0.0.1 and a port as the table has them: the address in the machine's (little-endian) byte order. */
function loopback(port: number): string {
  return `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
}
