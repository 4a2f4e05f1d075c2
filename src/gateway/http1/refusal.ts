import { PROBLEM_CONTENT_TYPE, toProblem, TurnpikeError } from "../../lib/errors.ts";
import { isRequestId, nextRequestId } from "../../lib/request-id.ts";
import { type HeadFault } from "./request-head.ts";

/** The whole HTTP/1 answer to what cannot become an exchange, closing the connection. */
export function refusal(fault: HeadFault, isHead = false): string {
  const id = isRequestId(fault.requestId ?? "") ? fault.requestId : nextRequestId();
  const problem = toProblem(new TurnpikeError(fault.code, fault.detail), id);
  const body = JSON.stringify(problem);
  const retry = problem.status === 503 ? "Retry-After: 1\r\n" : "";
  return (
    `HTTP/1.1 ${problem.status} ${problem.title}\r\nContent-Type: ${PROBLEM_CONTENT_TYPE}\r\n` +
    `Date: ${new Date().toUTCString()}\r\nX-Request-Id: ${id}\r\n${retry}Content-Length: ${body.length}\r\n` +
    `Connection: close\r\n\r\n${isHead ? "" : body}`
  );
}
