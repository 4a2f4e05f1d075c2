import { readFile } from "node:fs/promises";
import { openSocketOwner, type SocketOwner } from "./socket-owner.ts";

/** The position of the user id among the columns of a row of the connection table, from the local address on. */
const USER_COLUMN = 6;

/** Sources for the user ids at the ends of this machine's connections. */
export interface PeerSources {
  /** Asks the kernel for one connection. Undefined if the system does not allow that. */
  readonly owner: SocketOwner | undefined;
  /** The kernel's table of connections as text; undefined if the system has no such table (not Linux). */
  table(): Promise<string | undefined>;
}

/** Checks that the other end of a loopback connection is a process of the same user. @internal */
export class OwnPeers {
  readonly #sources: PeerSources;
  /** One read of the table serves all connections that arrive during the read. */
  #reading: Promise<string | undefined> | undefined;

  constructor(sources: PeerSources) {
    this.#sources = sources;
  }

  /** Reads the table only if the kernel does not report the connection. Without a table the result is true. */
  async includes(ourPort: number, peerPort: number): Promise<boolean> {
    const ours = process.geteuid?.();
    if (ours === undefined) return true;
    const user = this.#sources.owner?.(peerPort, ourPort);
    if (user !== undefined) return user === ours;
    // A read that began before this connection may lack its row. Then one more read decides.
    const shared = await this.#reading;
    if (userOf(shared, ourPort, peerPort) === ours) return true;
    this.#reading ??= this.#sources.table().finally(() => {
      this.#reading = undefined;
    });
    const table = await this.#reading;
    return table === undefined || userOf(table, ourPort, peerPort) === ours;
  }
}

let peers: OwnPeers | undefined;

/** True if the process at the other end of a loopback connection runs as the same user, by this system's kernel. */
export async function isOwnPeer(ourPort: number, peerPort: number): Promise<boolean> {
  peers ??= new OwnPeers({
    owner: openSocketOwner(),
    table: () => readFile("/proc/net/tcp", "latin1").catch(() => undefined),
  });
  return await peers.includes(ourPort, peerPort);
}

function userOf(table: string | undefined, ourPort: number, peerPort: number): number | undefined {
  if (table === undefined) return undefined;
  const start = table.indexOf(` ${loopback(peerPort)} ${loopback(ourPort)} `);
  if (start === -1) return undefined;
  const row = table.slice(start, table.indexOf("\n", start));
  return Number(row.trimStart().split(/\s+/)[USER_COLUMN]);
}

/** 127.0.0.1 and a port in the table's format: the address in the machine's (little-endian) byte order. */
function loopback(port: number): string {
  return `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
}
