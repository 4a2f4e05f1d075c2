import { type Question } from "../../upstream/directory/ask.ts";
import { trustOf } from "../../wire/tls-connect.ts";
import { bareHost, portOf } from "../../../lib/http/url-host.ts";

/** The address of an operator's service, and how the gateway connects to it. */
export type ServiceAddress = Pick<Question, "endpoint" | "dial" | "host" | "path">;

/** Parses an http or https URL. Certificates are verified with the system's authorities. */
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
