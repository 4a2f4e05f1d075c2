import { readFile } from "node:fs/promises";
import { openSocketOwner, type SocketOwner } from "./socket-owner.ts";

/** The user id's place among the columns of a connection table row, from the local address on. */
const USER_COLUMN = 6;

/** Where the users at the ends of this machine's connections are learned. */
export interface PeerSources {
  /** Asks the kernel for one connection; undefined where the system lets nobody ask. */
  readonly owner: SocketOwner | undefined;
  /** The kernel's table of connections as text; undefined where there is none (not Linux). */
  table(): Promise<string | undefined>;
}

/** Tells our own user's processes from those of others at the other end of a loopback connection. @internal */
export class OwnPeers {
  readonly #sources: PeerSources;
  /** One read serves every connection that comes while it runs. */
  #reading: Promise<string | undefined> | undefined;

  constructor(sources: PeerSources) {
    this.#sources = sources;
  }

  /** The table is read only if the kernel does not tell of the connection. Without a table the response is true. */
  async includes(ourPort: number, peerPort: number): Promise<boolean> {
    const ours = process.geteuid?.();
    if (ours === undefined) return true;
    const user = this.#sources.owner?.(peerPort, ourPort);
    if (user !== undefined) return user === ours;
    // A read that began before this connection may lack its row: then one more decides.
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

/** Whether the process at the other end of a loopback connection runs as our own user, by this system's kernel. */
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

/** 127.0.0.1 and a port as the table has them: the address in the machine's (little-endian) byte order. */
function loopback(port: number): string {
  return `0100007F:${port.toString(16).toUpperCase().padStart(4, "0")}`;
}
