import { randomBytes } from "node:crypto";
import { TurnpikeError } from "../../../../lib/errors.ts";
import { fieldLine, fieldValues } from "../../../../lib/http/fields.ts";
import { renewToken } from "../../../../payments/credit/issue.ts";
import {
  readSignIn,
  SIGN_IN,
  SIGN_IN_MS,
  type SignIn,
  signInError,
  type SignInTarget,
} from "../../../../payments/credit/sign-in.ts";
import { isTestCredit } from "../../../../payments/credit/token.ts";
import { standingOf } from "../../../../payments/credit/credit-terms.ts";
import { shownCredit } from "../../../../payments/credit/shown-credit.ts";
import { encodeHeader } from "../../../../payments/x402/header.ts";
import { PAYMENT_REQUIRED } from "../../../../payments/x402/messages.ts";
import { type Credit, type Credits } from "../../../../store/credits.ts";
import { type PaymentIds } from "../../../../store/payment-ids.ts";
import { CREDIT_PATH } from "../../../config/own-paths.ts";
import { type Exchange } from "../../../exchange/exchange.ts";
import { respondJson, respondValue } from "../protocol/respond.ts";

/** Credits of a wallet among which it can choose. @bound */
const MAX_CREDITS = 100;
/** Milliseconds for which a nonce stays used, longer than any message is accepted. */
const NONCE_MS = 2 * SIGN_IN_MS;

interface SignInDeps {
  readonly credits: Credits;
  readonly paymentIds: PaymentIds;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** The beginning of the gateway's URLs, from the configuration: a Host field is the client's own. */
  readonly url: string;
  readonly isTest: boolean;
}

/** Gives a wallet a new token for its credit, by x402's extension `sign-in-with-x`. The earlier token ends. */
export class CreditSignIn {
  readonly #deps: SignInDeps;
  readonly #target: SignInTarget;

  constructor(deps: SignInDeps) {
    this.#deps = deps;
    const { origin, host } = new URL(deps.url);
    this.#target = { domain: host, uri: origin + CREDIT_PATH };
  }

  async serve(exchange: Exchange): Promise<void> {
    const { fields, query, method } = exchange.head;
    if (method !== "POST" && method !== "GET") throw new TurnpikeError("method-not-allowed", "only GET and POST");
    const [header, other] = fieldValues(fields, SIGN_IN.toLowerCase());
    if (header === undefined) {
      this.#ask(exchange);
      return;
    }
    const message = other === undefined ? readSignIn(header) : undefined;
    if (message === undefined) throw new TurnpikeError("unauthorized", "the header is malformed");
    const { credits, clock, isTest } = this.#deps;
    const error = signInError(message, this.#target, clock());
    if (error !== undefined) throw refused(error);
    const all = await credits.list({ owner: message.address.toLowerCase() }, MAX_CREDITS);
    const usable = all.filter(
      (credit) => standingOf(credit, clock()) === "active" && isTestCredit(credit.id) === isTest,
    );
    const credit = chosen(usable, new URLSearchParams(query).get("id"));
    if (credit === undefined) throw new TurnpikeError("not-found", "this wallet has no such credit");
    // After the lookup: anyone can invent wallets, and each used nonce is a row.
    await this.#use(message);
    const { token } = await renewToken(credits, credit.id);
    const shown = usable.map((one) => shownCredit(one, clock));
    respondValue(exchange, 200, { token, credit: shownCredit(credit, clock), credits: shown });
  }

  /** Throws if the message was used before. */
  async #use({ address, nonce }: SignIn): Promise<void> {
    const { clock, paymentIds } = this.#deps;
    const use = newNonce();
    // Ids of payments have no colon.
    const id = { payer: address.toLowerCase(), id: `sign-in:${nonce}` };
    if ((await paymentIds.tie(id, use, clock() + NONCE_MS)) !== use) throw refused("its nonce was used before");
  }

  #ask(exchange: Exchange): void {
    const issuedAt = this.#deps.clock();
    const info = {
      ...this.#target,
      version: "1",
      nonce: newNonce(),
      issuedAt: new Date(issuedAt).toISOString(),
      expirationTime: new Date(issuedAt + SIGN_IN_MS).toISOString(),
      statement: "Get a new token for your prepaid credit. The earlier token ends.",
    };
    // The signature does not depend on the chain.
    const supportedChains = [{ chainId: "eip155:8453", type: "eip191" }];
    const required = {
      x402Version: 2,
      error: "Sign in with the wallet that bought the credit",
      resource: { url: `${this.#target.uri}/sign-in` },
      accepts: [],
      extensions: { "sign-in-with-x": { info, supportedChains } },
    };
    const error = new TurnpikeError("payment-required", required.error);
    respondJson(exchange, error, JSON.stringify(required), fieldLine(PAYMENT_REQUIRED, encodeHeader(required)));
  }
}

function refused(why: string): TurnpikeError {
  return new TurnpikeError("unauthorized", `the message is not accepted: ${why}`);
}

function chosen(credits: readonly Credit[], id: string | null): Credit | undefined {
  return id === null ? credits[0] : credits.find((credit) => credit.id === id);
}

function newNonce(random: (bytes: number) => Buffer = randomBytes): string {
  return random(16).toString("hex");
}
