/** The interface of a proxy in a run. */
import { accepts, type Child, type Children, waitFor } from "../support/children.ts";
import { type Running } from "../support/programs.ts";

/** Upstream connections that each proxy may keep: more than the largest case needs. */
export const POOL = 1024;
/** The name that the origin's certificate is for. */
export const ORIGIN_NAME = "localhost";

/** The features that a proxy is configured for. */
export interface Shape {
  /** `h2` is over TLS, `h2c` is not. */
  readonly client: "http1" | "h2" | "h2c";
  /** `tls` is HTTP/1.1 over TLS with a verified certificate. */
  readonly upstream: "http1" | "tls" | "h2c";
  /** Responses are cached, for the lifetime that they declare. */
  readonly caches?: true;
  readonly websocket?: true;
}

/** The settings with which a proxy is started. */
export interface Site {
  readonly shape: Shape;
  readonly originPort: number;
  /** Files: the certificate for clients, and the CA of the origin's certificate. */
  readonly cert: string;
  readonly key: string;
  readonly ca: string;
  /** Connections to the origin, instead of `POOL`. */
  readonly pool?: number;
}

export interface RunningProxy extends Running {
  readonly port: number;
}

export interface Proxy {
  readonly name: string;
  installed(): boolean;
  can(shape: Shape): boolean;
  start(children: Children, site: Site): Promise<RunningProxy>;
}

/** A running proxy. */
export function running(name: string, port: number, child: Child): RunningProxy {
  return { name, port, pid: child.pid, exited: () => child.exited(), output: () => child.output() };
}

/** A running proxy, after it accepts connections. */
export async function opened(name: string, port: number, child: Child): Promise<RunningProxy> {
  await waitFor(child, name, () => accepts(port));
  return running(name, port, child);
}
