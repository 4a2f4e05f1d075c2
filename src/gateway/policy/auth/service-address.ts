import { type DialSettings } from "../../upstream/dial.ts";
import { type Endpoint } from "../../wire/tcp.ts";
import { trustOf } from "../../wire/tls-connect.ts";

/** The address of an operator's service, and how the gateway connects to it. */
export interface ServiceAddress {
  readonly endpoint: Endpoint;
  readonly dial: DialSettings;
  /** Value of `Host`. */
  readonly host: string;
  /** Path and query. */
  readonly path: string;
}

/**
 * Parses an http or https URL. Over https, the service's certificate is verified with the certificate authorities of
 * the system.
 */
export function serviceAddress(url: string): ServiceAddress {
  const { protocol, hostname, port, host, pathname, search } = new URL(url);
  const isTls = protocol === "https:";
  return {
    endpoint: { address: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port || (isTls ? 443 : 80)) },
    dial: {
      // The operator chooses the service, so private addresses are allowed.
      allowPrivate: true,
      tls: isTls ? { verify: true, serverName: "", protocols: [], trust: trustOf("") } : undefined,
    },
    host,
    path: pathname + search,
  };
}
