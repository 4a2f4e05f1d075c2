import { type Exchange } from "../exchange.ts";
import { type Decision, type Policy } from "./policy.ts";
import { type ChildSpan, RequestTrace } from "../telemetry/tracing/request-trace.ts";
import { eventTime } from "../../lib/event-clock.ts";

function ended(span: ChildSpan, decision: Decision): Decision {
  span.endedAt = eventTime();
  return decision;
}

function failed(span: ChildSpan, error: unknown): never {
  span.endedAt = eventTime();
  span.error = "internal";
  throw error;
}

/** A policy whose work is a span of the requests that are traced. */
export function tracedPolicy(policy: Policy): Policy {
  return {
    name: policy.name,
    ...(policy.guards === undefined ? {} : { guards: policy.guards }),
    request(exchange: Exchange) {
      const { trace } = exchange;
      if (!(trace instanceof RequestTrace)) return policy.request(exchange);
      const span = trace.begin(policy.name);
      try {
        const decision = policy.request(exchange);
        if (!(decision instanceof Promise)) return ended(span, decision);
        return decision.then(
          (made) => ended(span, made),
          (error: unknown) => failed(span, error),
        );
      } catch (error) {
        return failed(span, error);
      }
    },
    close: () => policy.close(),
  };
}
