import { type UpstreamServerConfig } from "./config.ts";

/** Where a server of an upstream is reached. */
export type ServerTarget = { readonly unix: string } | { readonly address: string; readonly port: number };

/** The target of a checked server. Throws on one that has neither, which loading refuses. */
export function serverTarget({ unix, address, port }: UpstreamServerConfig): ServerTarget {
  if (unix !== undefined) return { unix };
  if (address === undefined || port === undefined) throw new Error("Cannot reach a server: it has no address and port");
  return { address, port };
}
