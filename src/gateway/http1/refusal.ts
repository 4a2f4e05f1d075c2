import { type AnsweredRequest } from "../exchange.ts";
import { type HeadFault, problemAnswer, refusedHead } from "../refusal.ts";

/** Characters of a refused request line that are written down. */
const MAX_LINE = 1024;

/** The whole HTTP/1 answer to what cannot become an exchange, closing the connection, and what there is to write down. */
export interface Refusal {
  readonly text: string;
  readonly request: AnsweredRequest;
}

/** `head` begins with the request line, as far as it came; `scheme` and `clientAddress` are the connection's. */
export function refuse(
  fault: HeadFault,
  head: string,
  { scheme, clientAddress }: { readonly scheme: "http" | "https"; readonly clientAddress: string },
): Refusal {
  const { id, status, title, fields, body } = problemAnswer(fault);
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
