import { type Exchange } from "../../../exchange/exchange.ts";
import { RequestTrace } from "../../../telemetry/tracing/request-trace.ts";

/** Outcomes that are errors: unknown, or a settlement that did not happen. */
const ERRORS: Readonly<Record<PaymentWork, ReadonlySet<string>>> = {
  "payment.verify": new Set(["unavailable", "failed"]),
  "payment.settle": new Set(["refused", "unknown"]),
  "payment.find": new Set(["unknown"]),
};

/** Work on a payment, by the name of its span. */
export type PaymentWork = "payment.verify" | "payment.settle" | "payment.find";

/** Records work on a payment as a span of a traced request. It can last longer than the request. */
export async function asSpan<Outcome extends { readonly kind: string }>(
  { trace }: Exchange,
  name: PaymentWork,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  if (!(trace instanceof RequestTrace)) return work();
  const span = trace.workBegan(name);
  try {
    const outcome = await work();
    trace.workEnded(span, ERRORS[name].has(outcome.kind) ? outcome.kind : "");
    return outcome;
  } catch (error) {
    trace.workEnded(span, "internal");
    throw error;
  }
}
