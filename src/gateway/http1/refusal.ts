import { type LoggedRequest } from "../exchange/exchange.ts";
import { type HeadError, problemResponse, refusedHead } from "../exchange/refusal.ts";

/** Characters of a refused request line in the log. The rest is left out. */
const MAX_LINE = 1024;

/**
 * The complete HTTP/1 response to a request that cannot become an exchange. It closes the connection. Also the data for the
 * log.
 */
export interface Refusal {
  readonly text: string;
  readonly request: LoggedRequest;
}

/** `head` begins with the request line, as far as it was received. `scheme` and `clientAddress` are those of the connection. */
export function refuse(
  error: HeadError,
  head: string,
  { scheme, clientAddress }: { readonly scheme: "http" | "https"; readonly clientAddress: string },
): Refusal {
  const { id, status, title, fields, body } = problemResponse(error);
  const lineEnd = head.indexOf("\r\n", 2);
  const line = (lineEnd === -1 ? head : head.slice(0, lineEnd)).trimStart();
  const [method = "", target = "", version = ""] = line.slice(0, MAX_LINE).split(" ", 3);
  const sent = method === "HEAD" ? "" : body;
  return {
    text: `HTTP/1.1 ${status} ${title}\r\n${fields}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${sent}`,
    request: {
      id,
      protocol: version === "HTTP/1.0" ? "HTTP/1.0" : "HTTP/1.1",
      head: refusedHead(method, target, scheme),
      clientAddress,
      status,
      bytesReceived: 0,
      bytesSent: sent.length,
    },
  };
}
