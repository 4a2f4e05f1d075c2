import { type DialSettings } from "../../upstream/dial.ts";
import { type Endpoint } from "../../wire/tcp.ts";
import { trustOf } from "../../wire/tls-connect.ts";
import { bareHost, portOf } from "../../../lib/http/url-host.ts";

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
  const parsed = new URL(url);
  const { protocol, hostname, host, pathname, search } = parsed;
  const isTls = protocol === "https:";
  return {
    endpoint: { address: bareHost(hostname), port: portOf(parsed) },
    dial: {
      // The operator chooses the service, so private addresses are allowed.
      allowPrivate: true,
      tls: isTls ? { verify: true, serverName: "", protocols: [], trust: trustOf("") } : undefined,
    },
    host,
    path: pathname + search,
  };
}
