/** The memory cost of idle connections. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Children, processTree, waitFor } from "../support/children.ts";
import { type OpenDoor } from "./doors.ts";

export interface IdleCase {
  readonly protocol: "http1" | "http2";
  readonly connections: number;
}

export const IDLE_CASES: readonly IdleCase[] = [
  { protocol: "http1", connections: 10_000 },
  { protocol: "http2", connections: 1000 },
];

/** Milliseconds for which a server can free memory. */
const SETTLE_MS = 3000;

/** Resident bytes of the server's processes. */
function residentBytes(pid: number): number {
  let kibibytes = 0;
  for (const member of processTree(pid)) {
    const status = readFileSync(`/proc/${member}/status`, "latin1");
    kibibytes += Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  }
  return kibibytes * 1024;
}

/** MB that `connections` idle connections add to a server that has just started. */
export async function idleCost(children: Children, door: OpenDoor, load: IdleCase): Promise<number> {
  await Bun.sleep(SETTLE_MS);
  const before = residentBytes(door.pid);
  const program = join(import.meta.dir, "idle-clients.ts");
  const argv = [process.execPath, program, String(door.http), String(load.connections), load.protocol];
  const clients = children.spawn({ name: "idle clients", argv });
  await waitFor(clients, "the idle clients", async () => (clients.output().includes("open") ? true : undefined));
  await Bun.sleep(SETTLE_MS);
  const after = residentBytes(door.pid);
  process.kill(clients.pid);
  await clients.done;
  return (after - before) / 1e6;
}

/** MB of the server's processes right after the start, and some seconds after a load. */
export async function memoryOf(door: OpenDoor, load: () => Promise<unknown>): Promise<[number, number]> {
  await Bun.sleep(SETTLE_MS);
  const atRest = residentBytes(door.pid) / 1e6;
  await load();
  await Bun.sleep(SETTLE_MS);
  return [atRest, residentBytes(door.pid) / 1e6];
}
