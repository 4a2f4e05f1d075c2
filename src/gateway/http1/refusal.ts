import { PROBLEM_CONTENT_TYPE, toProblem, TurnpikeError } from "../../lib/errors.ts";
import { type HeadFault } from "./request-head.ts";

/** The whole HTTP/1 answer to what cannot become an exchange, closing the connection. */
export function refusal(fault: HeadFault): string {
  const problem = toProblem(new TurnpikeError(fault.code, fault.detail));
  const body = JSON.stringify(problem);
  return (
    `HTTP/1.1 ${problem.status} ${problem.title}\r\nContent-Type: ${PROBLEM_CONTENT_TYPE}\r\n` +
    `Date: ${new Date().toUTCString()}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
  );
}
