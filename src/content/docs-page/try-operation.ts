import { secp256k1 } from "@noble/curves/secp256k1.js";
import { TurnpikeError } from "../../lib/errors.ts";
import { payAndFetch, PaymentDeclined } from "../../payments/client/client.ts";
import { addressOfPrivateKey } from "../../payments/signatures/signature.ts";
import { hostOf, type Send } from "../api/gateway-address.ts";
import { OPERATIONS } from "../operations/operations.ts";
import { type AskPrices } from "../api/price-list.ts";

/** Access to the gateway that sells the operations, and its prices. */
export interface TryGateway {
  readonly url: string;
  readonly send: Send;
  readonly prices: AskPrices;
}

/** Trials in progress at one time. */
const MAX_TRIES = 8;
/** Milliseconds of one trial. */
const MAX_TRY_MS = 300_000;
/** No limit: the signing key has no money, and exists only for the request. */
const ANY_PRICE = "$999999999";

let tries = 0;

/**
 * Calls an operation for the documentation page, through the gateway's own paid route, with a payment from a new key.
 * This works only in test mode, in which no money moves. Throws a TurnpikeError.
 */
export async function tryOperation(request: Request, body: string, gateway: TryGateway | undefined): Promise<Response> {
  const url = new URL(request.url);
  const operation = OPERATIONS.find(({ name }) => name === url.searchParams.get("operation"));
  if (operation === undefined) throw new TurnpikeError("not-found", "There is no such operation; see /docs");
  const host = hostOf(request);
  if (gateway === undefined || URL.parse(request.headers.get("origin") ?? "")?.host !== host) {
    throw new TurnpikeError("forbidden", "Operations can be tried only from the page /docs of the gateway");
  }
  const list = await gateway.prices(host);
  if (list?.testMode !== true) throw new TurnpikeError("forbidden", "Operations can be tried only in test mode");
  if (tries >= MAX_TRIES) throw new TurnpikeError("overloaded", "Too many operations are being tried; try again");
  tries += 1;
  const { secretKey: privateKey } = secp256k1.keygen();
  const init: RequestInit = {
    method: operation.method.toUpperCase(),
    headers: { "content-type": "application/json", ...(host === "" ? {} : { host }) },
    signal: AbortSignal.any([request.signal, AbortSignal.timeout(MAX_TRY_MS)]),
    ...(operation.method === "get" ? {} : { body }),
  };
  try {
    const { response, choice: requirements } = await payAndFetch(gateway.url + operation.path, init, {
      account: () => ({ privateKey, address: addressOfPrivateKey(privateKey) }),
      maxPrice: ANY_PRICE,
      fetch: gateway.send,
    });
    const paid = requirements === undefined || !response.ok ? "" : (list.prices[operation.path] ?? "");
    return new Response(response.body, {
      status: response.status,
      headers: {
        "content-type": response.headers.get("content-type") ?? "application/octet-stream",
        "cache-control": "no-store",
        ...(paid === "" ? {} : { "x-turnpike-paid": paid }),
      },
    });
  } catch (error) {
    if (error instanceof PaymentDeclined) throw new TurnpikeError("payment-required", error.message);
    throw error;
  } finally {
    tries -= 1;
  }
}
