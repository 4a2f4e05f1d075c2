import { messageOf } from "../../../lib/caught.ts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { type Facilitator } from "../../../payments/facilitator.ts";
import { type PaymentRequirements } from "../../../payments/messages.ts";
import { type ChallengeTemplate } from "../../../payments/template.ts";
import { compileTerms, type Terms } from "../../../payments/terms.ts";
import { type Ledger } from "../../../store/ledger.ts";
import { type PaymentIds } from "../../../store/payment-ids.ts";
import { type Policy } from "../policy.ts";
import { admit } from "./admission.ts";
import { type Answers } from "./answers.ts";
import { Challenge } from "./challenge.ts";
import { requiresIdentifier } from "./identifier.ts";
import { type Kinds, Offers } from "./offers.ts";
import { isPreflight, PreflightResponse } from "./preflight.ts";
import { readPayment } from "./presented.ts";
import { respondRefused } from "./refusals.ts";
import { respondError } from "./respond.ts";
import { withoutPayment } from "./response-fields.ts";
import { type Sale } from "./sale.ts";

/** `routes[].x402`, as far as the gate needs it. Empty strings are not set. */
export interface PaymentTerms extends Terms {
  readonly resource_url: string;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
  readonly accepts: readonly Terms[];
  readonly settle: "after" | "before";
  readonly settlement_url: string;
  readonly gateway_id: string;
  readonly inline_receipt: boolean;
}

export interface PaymentConfig {
  readonly path_prefix: string;
  readonly x402: PaymentTerms;
  readonly test_mode: boolean;
  /** What resource URLs start with, no slash at the end: `x402.public_url`, else the first listener's own. Never the Host. */
  readonly base_url: string;
  /** `x402.payment_required_b64`, decoded. */
  readonly template?: ChallengeTemplate;
}

export interface PaymentDeps {
  readonly ledger: Ledger;
  readonly paymentIds: PaymentIds;
  readonly facilitator: Facilitator;
  /** What that facilitator takes. */
  readonly kinds: Kinds;
  /** One per process: it outlives the policies of a configuration. */
  readonly answers: Answers;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: (message: string) => void;
  /** What is sold, for people. */
  readonly description?: string;
}

export interface PaymentPolicy extends Policy {
  /** What is asked for at the moment; undefined while there is no way to pay. */
  challenge(): Challenge | undefined;
}

/**
 * Lets a request through once it is paid for, and its answer out once the money has moved. Every request that it sees is
 * priced, but for CORS preflights: which routes are is the routing table's to say. Throws where the terms cannot be sold on.
 */
export function createPaymentPolicy(config: PaymentConfig, deps: PaymentDeps): PaymentPolicy {
  const sale = createSale(config, deps);
  return {
    challenge: () => sale.offers.current(),
    name: "payment",
    guards: true,
    request(exchange) {
      const { head } = exchange;
      const presented = readPayment(head.fields);
      if (presented instanceof TurnpikeError) {
        respondError(exchange, presented);
        return "answered";
      }
      if (presented !== undefined) {
        head.fields = withoutPayment(head.fields);
        return admit(sale, exchange, presented);
      }
      if (isPreflight(exchange)) {
        exchange.response = new PreflightResponse(exchange);
        return "continue";
      }
      respondRefused(exchange, sale, "Payment required");
      return "answered";
    },
    close() {
      // Ledger, facilitator and answers are the process's own.
    },
  };
}

function createSale(config: PaymentConfig, deps: PaymentDeps): Sale {
  const { x402, path_prefix: route, template = { resource: {}, extensions: {} } } = config;
  const { description, kinds, ...shared } = deps;
  const extensions = { ...template.extensions, ...x402.extensions };
  const resource = {
    ...template.resource,
    url: x402.resource_url || config.base_url + route,
    ...(description === undefined ? {} : { description }),
  };
  const write = (accepts: PaymentRequirements[]): Challenge =>
    new Challenge({
      x402Version: 2,
      resource,
      accepts,
      ...(Object.keys(extensions).length === 0 ? {} : { extensions }),
    });
  return {
    ...shared,
    route,
    offers: new Offers(waysOf(config), kinds, write),
    settle: x402.settle,
    inlineReceipt: x402.inline_receipt,
    requiresId: requiresIdentifier(extensions),
    target: { settlement_url: x402.settlement_url, gateway_id: x402.gateway_id, testMode: config.test_mode },
  };
}

/** The route's own terms and those of `accepts`. What the gateway adds stands in the `extra` of each, which clients send back. */
function waysOf({ path_prefix, x402 }: PaymentConfig): PaymentRequirements[] {
  const added = {
    ...(x402.gateway_id === "" ? {} : { gatewayId: x402.gateway_id }),
    // Clients prefer to pay for an answer that is there.
    ...(x402.settle === "before" ? { paymentFlow: "upfront" } : {}),
  };
  try {
    return [x402, ...x402.accepts].map((terms) => {
      const way = compileTerms(terms);
      return { ...way, extra: { ...way.extra, ...added } };
    });
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`Cannot serve route "${path_prefix}": ${reason}`, { cause: error });
  }
}
