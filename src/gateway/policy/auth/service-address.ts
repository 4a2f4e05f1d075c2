import { type DialSettings } from "../../upstream/dial.ts";
import { type Endpoint } from "../../wire/tcp.ts";
import { trustOf } from "../../wire/tls-connect.ts";

/** Where a service of the operator's is, and how it is asked. */
export interface ServiceAddress {
  readonly endpoint: Endpoint;
  readonly dial: DialSettings;
  /** Value of `Host`. */
  readonly host: string;
  /** With the query. */
  readonly path: string;
}

/** Takes an http or https URL apart; over https the service is verified by the authorities that the system trusts. */
export function serviceAddress(url: string): ServiceAddress {
  const { protocol, hostname, port, host, pathname, search } = new URL(url);
  const isTls = protocol === "https:";
  return {
    endpoint: { address: hostname.replace(/^\[(.*)\]$/, "$1"), port: Number(port || (isTls ? 443 : 80)) },
    dial: {
      // Who writes the configuration may ask whom he likes.
      allowPrivate: true,
      tls: isTls ? { verify: true, serverName: "", protocols: [], trust: trustOf("") } : undefined,
    },
    host,
    path: pathname + search,
  };
}
