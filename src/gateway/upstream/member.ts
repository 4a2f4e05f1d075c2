import { type Endpoint } from "../wire/tcp.ts";

/** One server of an upstream, as the directory of servers tells it to workers. Plain data: it crosses process boundaries. */
export interface Member {
  readonly endpoint: Endpoint;
  readonly weight: number;
  /** Failures in a row after which it leaves rotation. */
  readonly maxFails: number;
  /** Milliseconds that it then stays out. */
  readonly failTimeoutMs: number;
  readonly backup: boolean;
  /** Its place in the shared memory: see `ServerStates`. */
  readonly slot: number;
}

/** The servers of every upstream, by the upstream's name. */
export type Membership = Readonly<Record<string, readonly Member[]>>;

/** What tells a server from others: `127.0.0.1:8080`, `[::1]:8080` or `unix:/path`. */
export function serverKey(endpoint: Endpoint): string {
  if ("unix" in endpoint) return `unix:${endpoint.unix}`;
  const { address, port } = endpoint;
  return `${address.includes(":") ? `[${address}]` : address}:${port}`;
}
