import { type Exchange } from "../../exchange/exchange.ts";
import { type ConnectionPermit, type ServerHost } from "../../exchange/server-host.ts";
import { type ClientSubject } from "../../wire/tls.ts";
import { type ListenerShared } from "./listener-shared.ts";

/** The host of a connection over the limits: it takes one request, and only for one of the gateway's own paths. */
export function reservedHost(
  host: ServerHost,
  { handleReserved }: Pick<ListenerShared, "handleReserved">,
  permit: ConnectionPermit,
): ServerHost {
  return {
    ...host,
    draining: () => true,
    handle(exchange) {
      permit.holder?.drain();
      handleReserved(exchange);
    },
  };
}

/** The host of connections from clients whose certificate has this subject. */
export function withClient(host: ServerHost, clientSubject: ClientSubject | undefined): ServerHost {
  if (clientSubject === undefined) return host;
  const fields = clientFields(clientSubject);
  return {
    ...host,
    handle(exchange: Exchange) {
      exchange.head.fields += fields;
      host.handle(exchange);
    },
  };
}

/** The fields that describe the client's certificate to an upstream. Clients cannot send these fields themselves. */
function clientFields(client: ClientSubject): string {
  if (client === "none") return "X-Client-Cert-Verified: NONE\r\n";
  return `X-Client-Cert-Verified: SUCCESS\r\nX-Client-Cert-Subject: ${client.subject}\r\n`;
}
