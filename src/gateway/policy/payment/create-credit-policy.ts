import { NewestMap } from "../../../lib/memory/newest-map.ts";
import { TurnpikeError } from "../../../lib/errors.ts";
import { standingOf } from "../../../payments/credit/credit-terms.ts";
import { type Terms } from "../../../payments/x402/terms.ts";
import { CREDIT_PATH } from "../../config/own-paths.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { GatheredBody, hasBody } from "../gathered-body.ts";
import { jsonBounds, jsonTypeError } from "../json-body.ts";
import { createRequirements, type PaidRouteConfig } from "./challenge/create-requirements.ts";
import { type PaidRoute } from "./route/paid-route.ts";
import { lookUpCredit } from "./admission.ts";
import { createPaidRoute, createSalePolicy, type PaymentDeps, type PaymentPolicy } from "./payment.ts";
import { type Sold } from "./priced-route.ts";
import { CreditDesk } from "./credit/credit-desk.ts";
import { type CreditSettings, type Order, readOrder } from "./credit/credit-order.ts";
import { CreditSignIn } from "./credit/credit-sign-in.ts";

/** Bytes of the longest body of a purchase. @bound */
const MAX_ORDER_BYTES = 4096;
/** Purchases for which challenges are kept. The oldest is removed first. @bound */
const MAX_KEPT = 256;

/** Sells prepaid credit: a POST costs what its body asks for. Returns the policy of purchases, and the desk that serves them. */
export function createCreditPolicy(
  config: PaidRouteConfig,
  deps: PaymentDeps & Required<Pick<PaidRoute, "credits">>,
  settings: CreditSettings,
): { readonly policy: PaymentPolicy; readonly desk: CreditDesk } {
  const { credits, clock, log, paymentIds } = deps;
  if (credits === undefined) throw new Error("credit is sold with a store");
  const { test_mode: isTest } = config;
  const signIn = new CreditSignIn({ credits, paymentIds, clock, url: config.public_url || config.base_url, isTest });
  const desk = new CreditDesk({ credits, settings, signIn, clock, log, isTest });
  // A token is topped up, and does not pay here.
  const base = { ...createPaidRoute(config, deps), credits: undefined, onPaid: desk.paid.bind(desk) };
  const { x402 } = config;
  const all: readonly Terms[] = [x402, ...x402.accepts];
  const kept = new NewestMap<string, PaidRoute>(MAX_KEPT);
  const soldFor = ({ terms }: Order): Sold => {
    const key = terms.map(({ network, asset, price }) => `${network} ${asset} ${price}`).join("\n");
    const [first, ...others] = terms;
    const known = kept.get(key);
    if (known !== undefined || first === undefined) return known ?? base;
    const priced = { ...config, x402: { ...x402, ...first, accepts: others } };
    const route = { ...base, accepts: createRequirements(priced, deps.kinds, deps.description) };
    kept.set(key, route);
    return route;
  };
  const priceOf = async (exchange: Exchange): Promise<Sold> => {
    const token = exchange.creditToken;
    const found = token === undefined ? { credit: undefined } : await lookUpCredit({ ...base, credits }, token);
    if (found instanceof TurnpikeError) return found;
    const { credit } = found;
    if (token !== undefined && credit === undefined) return new TurnpikeError("unauthorized", "the token is not valid");
    if (credit !== undefined) {
      const standing = standingOf(credit, clock());
      const closed = credit.unit === "money" ? standing : "a pass";
      if (closed !== "active") return new TurnpikeError("forbidden", `Cannot top up this credit: it is ${closed}`);
    }
    const bytes = await bodyOf(exchange, deps);
    const order = bytes instanceof TurnpikeError ? bytes : readOrder(bytes, settings, all, credit);
    if (order instanceof TurnpikeError) return order;
    desk.ordered(exchange, order);
    return soldFor(order);
  };
  const priced = { base, of: (exchange: Exchange) => (isSale(exchange) ? priceOf(exchange) : "free") } as const;
  return { policy: createSalePolicy(priced, undefined), desk };
}

function isSale({ head: { path, method } }: Exchange): boolean {
  return path === CREDIT_PATH && method === "POST";
}

async function bodyOf(exchange: Exchange, { pricing }: PaymentDeps): Promise<Uint8Array | TurnpikeError> {
  if (!hasBody(exchange.head)) return new Uint8Array(0);
  const wrongType = jsonTypeError(exchange.head);
  if (wrongType !== undefined) return wrongType;
  const gathered = new GatheredBody(
    exchange,
    jsonBounds(Math.min(pricing.maxBodyBytes, MAX_ORDER_BYTES), pricing.memory),
  );
  const error = await gathered.gather();
  if (error !== undefined) return error;
  const bytes = gathered.bytes.slice();
  gathered.replace();
  return bytes;
}
