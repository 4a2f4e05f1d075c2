import { type Endpoint } from "../wire/tcp.ts";
import { hostAndPort } from "../../lib/http/url-host.ts";

/** One server of an upstream, as the directory describes it to workers: plain data between processes. */
export interface Member {
  readonly endpoint: Endpoint;
  readonly weight: number;
  /** Failures in a row after which the server leaves rotation. */
  readonly maxFails: number;
  /** Milliseconds for which the server then stays out of rotation. */
  readonly failTimeoutMs: number;
  readonly backup: boolean;
  /** The server's slot in the shared memory; see `ServerStates`. */
  readonly slot: number;
}

/** The servers of every upstream, by the name of the upstream. */
export type Membership = Readonly<Record<string, readonly Member[]>>;

/** The text that identifies a server: `127.0.0.1:8080`, `[::1]:8080` or `unix:/path`. */
export function serverKey(endpoint: Endpoint): string {
  if ("unix" in endpoint) return `unix:${endpoint.unix}`;
  const { address, port } = endpoint;
  return hostAndPort(address, port);
}
