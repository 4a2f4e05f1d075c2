import { TurnpikeError } from "../../../lib/errors.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { type ClientFunnel } from "../../telemetry/funnel.ts";
import { type Decision, type Policy } from "../policy.ts";
import { isPreflight } from "../preflight.ts";
import { admit, LEDGER_RETRY_S, presentCredit, type PresentedCredit, tellBalance } from "./admission.ts";
import { type Challenge } from "./challenge/challenge.ts";
import { requiresIdentifier } from "./protocol/payment-identifier.ts";
import { type Kinds } from "./challenge/route-requirements.ts";
import { askAllowance } from "./challenge/preflight.ts";
import { type Presented, readPresented, Unreadable } from "./offer/presented.ts";
import { listedRules, type PriceListing } from "./prices/listed-rules.ts";
import { PriceRules, type PriceDeps } from "./prices/price-rules.ts";
import { PricedRoute, type Sold } from "./priced-route.ts";
import { askForm } from "./responses/form-check.ts";
import { FreeResponse } from "./responses/free-response.ts";
import { type GiveBack } from "../rate-limit/rate-limit.ts";
import { type FreeQuota } from "../rate-limit/quota.ts";
import { respondError } from "./protocol/respond.ts";
import { REFUSED_BY_RULE, respondRefused, respondUnreadable, respondUnserved } from "./route/refusals.ts";
import { routeName } from "../../routing/route-name.ts";
import { createRequirements, extensionsOf, type PaidRouteConfig } from "./challenge/create-requirements.ts";
import { type PaidRoute, type PaidRouteServices } from "./route/paid-route.ts";

export interface PaymentDeps extends PaidRouteServices {
  /** The payment kinds that the facilitator supports. */
  readonly kinds: Kinds;
  /** The upstream can charge for failures, by Settlement-Overrides. By default failures are free. */
  readonly chargesFailures?: boolean;
  /** False: no upstream of the route has servers, and payments are refused. */
  readonly isServed?: boolean;
  /** Default: none. */
  readonly checksForm?: PaidRoute["checksForm"] | undefined;
  /** A description of what is sold, for people. */
  readonly description?: string;
  readonly pricing: PriceDeps;
  /** The free requests of the route. */
  readonly quota?: FreeQuota | undefined;
}

export interface PaymentPolicy extends Policy {
  /** The current challenge; undefined while there is no way to pay. */
  challenge(): Challenge | undefined;
  /** The entry in the list of prices, beside the challenge. */
  listing(): PriceListing;
}

/**
 * Lets a request pass after payment, and its response after settlement. Every request that reaches the policy has a
 * price, except CORS preflights and what the route's rules make free: the routing table decides which routes are paid.
 * Throws if the route cannot be sold on these terms.
 */
export function createPaymentPolicy(config: PaidRouteConfig, deps: PaymentDeps): PaymentPolicy {
  const priced = createPricedRoute(config, deps);
  const { rules, ...terms } = config.x402;
  const { quota } = deps;
  return {
    ...createSalePolicy(priced, quota),
    listing: () => ({
      rules: listedRules(rules, [terms, ...terms.accepts]),
      ...(quota === undefined ? {} : { freePerDay: { requests: quota.requests, key: quota.key } }),
    }),
  };
}

/** The policy of a route whose requests have the prices of `priced`. */
export function createSalePolicy(
  priced: Pick<PricedRoute, "base" | "of">,
  quota: FreeQuota | undefined,
): PaymentPolicy {
  const { base } = priced;
  const decideAt = (exchange: Exchange, presented: Presented | PresentedCredit | undefined) => {
    const sold = priced.of(exchange, presented === undefined || "credit" in presented ? undefined : presented);
    const sell = { presented, quota, clock: base.clock, client: base.funnel.of(exchange.head) };
    return sold instanceof Promise ? sold.then((late) => decide(exchange, late, sell)) : decide(exchange, sold, sell);
  };
  const read = (exchange: Exchange): Decision | Promise<Decision> => {
    const presented = readPresented(exchange, base.auth);
    if (presented instanceof Unreadable) {
      const client = base.funnel.of(exchange.head);
      client.count("signed");
      client.lose(exchange, "unreadable");
      respondUnreadable(exchange, base, presented.why);
      return "responded";
    }
    if (presented === undefined && isPreflight(exchange)) {
      askAllowance(exchange);
      return "continue";
    }
    const { creditToken: token } = exchange;
    if (presented !== undefined || token === undefined || base.credits === undefined) {
      return decideAt(exchange, presented);
    }
    return presentCredit(base, exchange, token).then((paid) => (paid ? decideAt(exchange, paid) : "responded"));
  };
  return {
    challenge: () => base.accepts.current(),
    listing: () => ({ rules: [] }),
    name: "payment",
    guards: true,
    request: (exchange) => base.auth?.load()?.then(() => read(exchange)) ?? read(exchange),
  };
}

interface Request extends Pick<PaymentDeps, "quota" | "clock"> {
  readonly presented: Presented | PresentedCredit | undefined;
  readonly client: ClientFunnel;
}

function decide(exchange: Exchange, sold: Sold, request: Request): Decision | Promise<Decision> {
  const { presented, quota, client, clock } = request;
  if (exchange.gone) return "responded";
  if (sold === "free") {
    if (presented !== undefined && "credit" in presented) tellBalance(exchange, presented, clock());
    return pass(exchange, client);
  }
  if (presented !== undefined) client.count("signed");
  if (sold instanceof TurnpikeError) {
    if (presented === undefined) client.count("unpaid");
    client.lose(exchange, "not_sold");
    respondError(exchange, sold, sold.status === 503 ? LEDGER_RETRY_S : undefined);
    return "responded";
  }
  if (presented !== undefined) return admit(sold, exchange, presented);
  if (quota?.key !== "address" || sold.isRefused) return ask(exchange, sold, client);
  const taken = quota.take(exchange);
  const passOrAsk = (giveBack: GiveBack | undefined): Decision => {
    if (giveBack === undefined || exchange.gone) return ask(exchange, sold, client);
    return pass(exchange, client, giveBack);
  };
  return taken instanceof Promise ? taken.then(passOrAsk) : passOrAsk(taken);
}

function pass(exchange: Exchange, client: ClientFunnel, giveBack?: GiveBack): Decision {
  exchange.response = new FreeResponse(exchange.response, giveBack);
  client.count("free");
  return "continue";
}

function ask(exchange: Exchange, paidRoute: PaidRoute, client: ClientFunnel): Decision {
  if (exchange.gone) return "responded";
  const challenge = (): void => {
    if (exchange.gone) return;
    client.count("unpaid");
    client.count("challenged");
    respondRefused(exchange, paidRoute, "Payment required");
  };
  if (paidRoute.isRefused) {
    client.count("unpaid");
    client.lose(exchange, "not_sold");
    respondError(exchange, REFUSED_BY_RULE);
  } else if (!paidRoute.isServed) {
    client.count("unpaid");
    client.lose(exchange, "no_servers");
    respondUnserved(exchange);
  } else if (isFormOpen(exchange, paidRoute)) {
    askForm(exchange, challenge);
    return "continue";
  } else challenge();
  return "responded";
}

/** Whether only the upstream can say if the form of the request is valid. */
function isFormOpen({ head }: Exchange, { checksForm }: PaidRoute): boolean {
  if (checksForm === "none" || head.isGrpc || head.upgrade !== "") return false;
  return checksForm === "all" || head.method !== "POST" || head.path !== checksForm.posted;
}

function createPricedRoute(config: PaidRouteConfig, deps: PaymentDeps): PricedRoute {
  const { x402 } = config;
  const base = createPaidRoute(config, deps);
  if (x402.rules.length + x402.exempt_consumers.length === 0) return new PricedRoute(base, undefined);
  return new PricedRoute(base, new PriceRules(x402, deps.pricing), (amounts) => ({
    ...base,
    accepts: createRequirements(pricedAt(config, amounts), deps.kinds, deps.description),
  }));
}

/** The same route at other prices. `amounts`: atomic units, for the route's own terms and then for each of `accepts`. */
function pricedAt(config: PaidRouteConfig, amounts: readonly string[]): PaidRouteConfig {
  const { x402 } = config;
  const accepts = x402.accepts.map((terms, i) => ({ ...terms, price: amounts[i + 1] ?? terms.price }));
  return { ...config, x402: { ...x402, price: amounts[0] ?? x402.price, accepts } };
}

/** The route at its own price. Throws if it cannot be sold. */
export function createPaidRoute(config: PaidRouteConfig, deps: PaymentDeps): PaidRoute {
  const { x402 } = config;
  const { settle, inline_receipt, max_partial_answers, max_repeats, meter } = x402;
  const { description, kinds, quota, chargesFailures = false, isServed = true, checksForm = "none", ...shared } = deps;
  return {
    ...shared,
    chargesFailures,
    isServed,
    checksForm,
    isRefused: false,
    gift: quota?.key === "payer" ? quota : undefined,
    route: routeName(config),
    accepts: createRequirements(config, kinds, description),
    settle,
    inline_receipt,
    max_partial_answers,
    max_repeats,
    meter,
    requiresId: requiresIdentifier(extensionsOf(config)),
    target: { settlement_url: x402.settlement_url, gateway_id: x402.gateway_id, testMode: config.test_mode },
    signer: config.signer,
    auth: config.auth,
  };
}
