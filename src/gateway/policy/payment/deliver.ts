import { type Exchange } from "../../exchange.ts";
import { type Answer } from "./answers.ts";
import { paidFields } from "./response-fields.ts";

/**
 * Sends a paid answer with its receipt, at the client's pace. True once it was handed over whole, false where the client
 * went away before.
 */
export async function deliver(exchange: Exchange, answer: Answer, receipt: string): Promise<boolean> {
  const { response } = exchange;
  if (exchange.gone) return false;
  response.start({ ...answer.head, fields: paidFields(answer.head.fields, receipt) });
  for (const chunk of exchange.head.method === "HEAD" ? [] : answer.body) {
    if (exchange.gone) return false;
    if (!response.data(chunk)) await drained(exchange);
  }
  if (exchange.gone) return false;
  response.end(answer.trailers);
  return true;
}

function drained(exchange: Exchange): Promise<void> {
  return new Promise((resolve) => {
    exchange.onDrain = resolve;
    exchange.onGone = resolve;
    // The write itself may have told that it is.
    if (exchange.gone) resolve();
  });
}
