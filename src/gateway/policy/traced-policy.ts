import { type Exchange } from "../exchange/exchange.ts";
import { type Decision, type Policy } from "./policy.ts";
import { type ChildSpan, RequestTrace } from "../telemetry/tracing/request-trace.ts";

interface Work {
  readonly trace: RequestTrace;
  readonly span: ChildSpan;
}

function ended({ trace, span }: Work, decision: Decision): Decision {
  trace.policyEnded(span, "");
  return decision;
}

function failed({ trace, span }: Work, error: unknown): never {
  trace.policyEnded(span, "internal");
  throw error;
}

/** Wraps a policy so that traced requests have a span for its work. */
export function tracedPolicy(policy: Policy): Policy {
  return {
    ...policy,
    request(exchange: Exchange) {
      const { trace } = exchange;
      if (!(trace instanceof RequestTrace)) return policy.request(exchange);
      const work = { trace, span: trace.policyBegan(policy.name) };
      try {
        const decision = policy.request(exchange);
        if (!(decision instanceof Promise)) return ended(work, decision);
        return decision.then(
          (made) => ended(work, made),
          (error: unknown) => failed(work, error),
        );
      } catch (error) {
        return failed(work, error);
      }
    },
  };
}
