import { readJsonUpTo } from "../../lib/http/response-bytes.ts";
import { decodeHeader } from "../x402/header.ts";
import { PAYMENT_REQUIRED, type PaymentRequired, paymentRequiredSchema } from "../x402/messages.ts";
import { fromV1Challenge } from "../x402/v1.ts";
import { PaymentDeclined } from "./choice.ts";

/** Bytes of a body that are read to find a version 1 price. */
const MAX_READ_BYTES = 256 * 1024;

export interface Challenge {
  /** The x402 version in which the server sent its price. */
  readonly version: 1 | 2;
  readonly required: PaymentRequired;
}

/**
 * Reads the price: version 2 from a header, otherwise version 1 from the body, as the reference clients do. `hasCharges`: the
 * response has a price of the `Payment` scheme. Throws PaymentDeclined without any price.
 */
export async function readChallenge(response: Response, url: string, hasCharges = false): Promise<Challenge> {
  const header = response.headers.get(PAYMENT_REQUIRED);
  if (header === null) {
    const body = await readJsonUpTo(response, MAX_READ_BYTES).catch(() => undefined);
    const required = fromV1Challenge(body, url);
    if (required !== undefined) return { version: 1, required };
    if (hasCharges) return { version: 2, required: { x402Version: 2, resource: { url }, accepts: [] } };
    throw new PaymentDeclined(
      "Cannot pay: the 402 has no x402 payment requirements, neither in PAYMENT-REQUIRED nor in its body",
    );
  }
  await response.body?.cancel();
  const parsed = paymentRequiredSchema.safeParse(decodeHeader(header));
  if (!parsed.success) throw new PaymentDeclined("Cannot pay: the 402 has no readable PAYMENT-REQUIRED header");
  return { version: 2, required: parsed.data };
}
