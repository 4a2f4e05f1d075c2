import { faultOf } from "../../../../lib/caught.ts";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { fieldLine } from "../../../../lib/http/fields.ts";
import { creditOf } from "../../../../payments/credit/credit-of.ts";
import { issueCredit } from "../../../../payments/credit/issue.ts";
import { creditHistory, shownCredit } from "../../../../payments/credit/shown-credit.ts";
import { compileTerms } from "../../../../payments/x402/terms.ts";
import { type Credit, type Credits, type Grant, purchaseOf } from "../../../../store/credits.ts";
import { type PaymentKey } from "../../../../store/ledger.ts";
import { CREDIT_PATH } from "../../../config/own-paths.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { respondWithError } from "../../../exchange/local-response.ts";
import { respondValue } from "../protocol/respond.ts";
import { type CreditSettings, isIn, type Order } from "./credit-order.ts";
import { type CreditSignIn } from "./credit-sign-in.ts";

/** Grants and charges that a holder sees of each. @bound */
const HISTORY = 20;
const DAY_MS = 86_400_000;
const BEARER = fieldLine("WWW-Authenticate", 'Bearer realm="prepaid credit"');

/** A settled payment: its key, its token and its amount in atomic units. */
type Paid = PaymentKey & { readonly token: string; readonly amount: string };

interface DeskDeps {
  readonly credits: Credits;
  readonly settings: CreditSettings;
  readonly signIn: CreditSignIn;
  readonly isTest: boolean;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly log: (message: string) => void;
}

/** Serves `/.turnpike/credit`: purchases that are paid for, and what holders of tokens may do free of charge. */
export class CreditDesk {
  readonly #deps: DeskDeps;
  readonly #orders = new WeakMap<Exchange, Order>();
  readonly #paid = new WeakMap<Exchange, Paid>();

  constructor(deps: DeskDeps) {
    this.#deps = deps;
  }

  ordered(exchange: Exchange, order: Order): void {
    this.#orders.set(exchange, order);
  }

  paid(exchange: Exchange, payment: Paid): void {
    this.#paid.set(exchange, payment);
  }

  serve(exchange: Exchange): void {
    this.#serve(exchange).catch((error: unknown) => {
      if (!(error instanceof TurnpikeError)) this.#deps.log(`credit: the ledger failed: ${faultOf(error)}`);
      const known = error instanceof TurnpikeError ? error : new TurnpikeError("overloaded", "the ledger failed");
      if (!exchange.started) respondWithError(exchange, known, known.status === 401 ? BEARER : "");
    });
  }

  async #serve(exchange: Exchange): Promise<void> {
    const { head } = exchange;
    const { credits, signIn, isTest } = this.#deps;
    if (head.path === `${CREDIT_PATH}/sign-in`) {
      await signIn.serve(exchange);
      return;
    }
    if (head.path !== CREDIT_PATH) throw new TurnpikeError("not-found", "there is nothing at this path");
    if (head.method === "POST") {
      await this.#sell(exchange);
      return;
    }
    if (head.method !== "GET" && head.method !== "HEAD" && head.method !== "DELETE") {
      throw new TurnpikeError("method-not-allowed", "only GET, HEAD, POST and DELETE");
    }
    const credit = await creditOf(credits, exchange.creditToken ?? "", isTest);
    if (credit === undefined)
      throw new TurnpikeError("unauthorized", "the token of prepaid credit is missing or wrong");
    if (head.method === "DELETE") {
      await credits.revoke(credit.id);
      respondValue(exchange, 200, { credit: shownCredit((await credits.find(credit.id)) ?? credit) });
    } else respondValue(exchange, 200, await creditHistory(credits, credit, HISTORY));
  }

  async #sell(exchange: Exchange): Promise<void> {
    const { credits, clock, isTest } = this.#deps;
    const [order, paid] = [this.#orders.get(exchange), this.#paid.get(exchange)];
    if (order === undefined || paid === undefined) throw new Error("a purchase has an order and a payment");
    const { amount, nonce } = paid;
    const grant = { id: purchaseOf(paid), kind: "bought", amount, payment: nonce } as const;
    if (order.credit !== undefined) {
      await credits.add(order.credit.id, grant, this.#endOfMoney());
      respondValue(exchange, 200, { credit: await shownAfter(credits, order.credit) });
      return;
    }
    const { token, id } = await (passOf(order, paid) === undefined
      ? issueCredit(credits, { ...this.#termsOf(paid), expiresAt: this.#endOfMoney() }, grant, isTest)
      : this.#sellPass(order, paid, grant));
    const credit = (await credits.find(id)) as Credit; // It was stored above.
    respondValue(exchange, 201, { token, credit: shownCredit(credit, clock) });
  }

  #sellPass(order: Order, paid: Paid, grant: Grant): ReturnType<typeof issueCredit> {
    const { name = "", calls = 0, seconds = 0, routes = [] } = passOf(order, paid) ?? {};
    const expiresAt = this.#deps.clock() + seconds * 1000;
    const unit = calls > 0 ? "calls" : "time";
    const terms = { ...this.#termsOf(paid), unit, name, routes, expiresAt } as const;
    return issueCredit(this.#deps.credits, terms, { ...grant, amount: String(calls) }, this.#deps.isTest);
  }

  #termsOf({ from, network, token }: Paid) {
    return { owner: from.toLowerCase(), unit: "money", name: "", network, token, routes: [] as string[] } as const;
  }

  #endOfMoney(): number {
    const { clock, settings } = this.#deps;
    return settings.expires_days === 0 ? 0 : clock() + settings.expires_days * DAY_MS;
  }
}

/** The pass that a payment buys. Its price may have risen since: then the payment buys money. */
function passOf({ pass, terms }: Order, paid: Paid): Order["pass"] {
  const own = terms.find((one) => isIn(paid, one));
  return own !== undefined && BigInt(paid.amount) >= BigInt(compileTerms(own).amount) ? pass : undefined;
}

async function shownAfter(credits: Credits, before: Credit): Promise<object> {
  return shownCredit((await credits.find(before.id)) ?? before);
}
