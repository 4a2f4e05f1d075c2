import { type ServerConfig } from "./config.ts";

/** An address and port that a configuration listens on. */
export interface BoundAddress {
  /** The path of the object that has `address` and `port`. */
  readonly path: string;
  readonly address: string;
  readonly port: number;
}

/** Every address on which a TCP listener listens, with the path of its keys. */
export function boundAddresses(server: ServerConfig): BoundAddress[] {
  if (server.listeners.length === 0) return [{ path: "server", address: server.address, port: server.port }];
  return server.listeners.map(({ address, port }, i) => ({ path: `server.listeners[${i}]`, address, port }));
}

/** True if sockets on these addresses cannot share a port: `0.0.0.0` has every IPv4 address, `::` every one. */
export function overlap(a: string, b: string): boolean {
  const [one, other] = [a, b].map((address) => URL.parse(`http://[${address}]/`)?.hostname ?? address);
  if (one === other || one === "[::]" || other === "[::]") return true;
  return (a === "0.0.0.0" && !b.includes(":")) || (b === "0.0.0.0" && !a.includes(":"));
}
