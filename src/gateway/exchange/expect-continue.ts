import { type Exchange } from "./exchange.ts";

/**
 * Sends 100 (Continue) to a client that waits for it before it sends the body (RFC 9110 §10.1.1). Used when the gateway
 * itself reads the body.
 */
export function sendContinue({ head, response }: Pick<Exchange, "head" | "response">): void {
  if (head.expectContinue) response.start({ status: 100, reason: "Continue", fields: "", bodyLength: 0 });
  head.expectContinue = false;
}
