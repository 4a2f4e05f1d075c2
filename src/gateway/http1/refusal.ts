import { PROBLEM_CONTENT_TYPE, toProblem, TurnpikeError } from "../../lib/errors.ts";
import { isRequestId, nextRequestId } from "../../lib/request-id.ts";
import { type AnsweredRequest } from "../exchange.ts";
import { type HeadFault } from "./request-head.ts";

/** Characters of a refused request line that are written down. */
const MAX_LINE = 1024;

/** The whole HTTP/1 answer to what cannot become an exchange, closing the connection, and what there is to write down. */
export interface Refusal {
  readonly text: string;
  readonly request: AnsweredRequest;
}

/** `line` is the request line as far as it came; `scheme` and `clientAddress` are the connection's. */
export function refuse(
  fault: HeadFault,
  line: string,
  { scheme, clientAddress }: { readonly scheme: "http" | "https"; readonly clientAddress: string },
): Refusal {
  const id = isRequestId(fault.requestId ?? "") ? (fault.requestId ?? "") : nextRequestId();
  const problem = toProblem(new TurnpikeError(fault.code, fault.detail), id);
  const body = JSON.stringify(problem);
  const retry = problem.status === 503 ? "Retry-After: 1\r\n" : "";
  const [method = "", path = "", version = ""] = line.slice(0, MAX_LINE).split(" ", 3);
  const sent = method === "HEAD" ? "" : body;
  return {
    text:
      `HTTP/1.1 ${problem.status} ${problem.title}\r\nContent-Type: ${PROBLEM_CONTENT_TYPE}\r\n` +
      `Date: ${new Date().toUTCString()}\r\nX-Request-Id: ${id}\r\n${retry}Content-Length: ${body.length}\r\n` +
      `Connection: close\r\n\r\n${sent}`,
    request: {
      id,
      protocol: version === "HTTP/1.0" ? "HTTP/1.0" : "HTTP/1.1",
      head: { method, scheme, authority: "", path, query: "", fields: "" },
      clientAddress,
      status: problem.status,
      bytesReceived: 0,
      bytesSent: sent.length,
    },
  };
}
