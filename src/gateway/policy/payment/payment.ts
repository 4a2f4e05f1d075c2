import { TurnpikeError } from "../../../lib/errors.ts";
import { type Policy } from "../policy.ts";
import { isPreflight } from "../preflight.ts";
import { admit } from "./admission.ts";
import { type Challenge } from "./challenge/challenge.ts";
import { requiresIdentifier } from "./protocol/identifier.ts";
import { type Kinds } from "./challenge/route-requirements.ts";
import { askAllowance } from "./challenge/preflight.ts";
import { readPayment } from "./presented.ts";
import { respondRefused, respondSpent, respondUnserved } from "./refusals.ts";
import { routeName } from "../../routing/route-name.ts";
import { createRequirements, extensionsOf, type PaidRouteConfig } from "./challenge/create-requirements.ts";
import { type PaidRoute, type PaidRouteServices } from "./paid-route.ts";

/** The parts of the process that a payment policy uses. */
export interface PaymentDeps extends PaidRouteServices {
  /** The payment kinds that the facilitator supports. */
  readonly kinds: Kinds;
  /** The upstream can charge for failures, by Settlement-Overrides. By default failures are free. */
  readonly chargesFailures?: boolean;
  /** False: no upstream of the route has servers, and payments are refused. */
  readonly isServed?: boolean;
  /** A description of what is sold, for people. */
  readonly description?: string;
}

/** The policy of a paid route. */
export interface PaymentPolicy extends Policy {
  /** The current challenge; undefined while there is no way to pay. */
  challenge(): Challenge | undefined;
}

/**
 * Lets a request pass after payment, and its response after settlement. Every request that reaches the policy has a
 * price, except CORS preflights: the routing table decides which routes are paid. Throws if the route cannot be sold on
 * these terms.
 */
export function createPaymentPolicy(config: PaidRouteConfig, deps: PaymentDeps): PaymentPolicy {
  const paidRoute = createPaidRoute(config, deps);
  return {
    challenge: () => paidRoute.accepts.current(),
    name: "payment",
    guards: true,
    request(exchange) {
      const { head } = exchange;
      const presented = readPayment(head.payment);
      if (presented instanceof TurnpikeError) {
        respondSpent(exchange, paidRoute, presented);
        return "responded";
      }
      if (presented !== undefined) return admit(paidRoute, exchange, presented);
      if (isPreflight(exchange)) {
        askAllowance(exchange);
        return "continue";
      }
      if (paidRoute.isServed) respondRefused(exchange, paidRoute, "Payment required");
      else respondUnserved(exchange);
      return "responded";
    },
  };
}

function createPaidRoute(config: PaidRouteConfig, deps: PaymentDeps): PaidRoute {
  const { x402 } = config;
  const { description, kinds, chargesFailures = false, isServed = true, ...shared } = deps;
  return {
    ...shared,
    chargesFailures,
    isServed,
    route: routeName(config),
    accepts: createRequirements(config, kinds, description),
    settle: x402.settle,
    inlineReceipt: x402.inline_receipt,
    maxPartials: x402.max_partial_answers,
    maxRepeats: x402.max_repeats,
    requiresId: requiresIdentifier(extensionsOf(config)),
    target: { settlement_url: x402.settlement_url, gateway_id: x402.gateway_id, testMode: config.test_mode },
  };
}
