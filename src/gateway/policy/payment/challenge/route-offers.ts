import { messageOf } from "../../../../lib/caught.ts";
import { type PaymentRequirements } from "../../../../payments/x402/messages.ts";
import { type ChallengeTemplate } from "../../../../payments/x402/template.ts";
import { compileTerms, type Terms } from "../../../../payments/x402/terms.ts";
import { Challenge } from "./challenge.ts";
import { type Kinds, Offers } from "./offers.ts";

/** `routes[].x402`, as far as the gate needs it. Empty strings are not set. */
export interface PaymentTerms extends Terms {
  readonly resource_url: string;
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
  readonly accepts: readonly Terms[];
  readonly settle: "after" | "before";
  readonly settlement_url: string;
  readonly gateway_id: string;
  readonly inline_receipt: boolean;
  readonly max_partial_answers: number;
}

/** What a route asks for, as far as its challenge says it. */
export interface OfferConfig {
  readonly path_prefix: string;
  readonly host?: string;
  readonly name?: string;
  readonly x402: PaymentTerms;
  /** `x402.public_url`: what resource URLs start with, no slash at the end. Empty: they start as the client's own request does. */
  readonly public_url: string;
  /** The first listener's own URL, for the catalogue if there is no `public_url`. */
  readonly base_url: string;
  readonly test_mode: boolean;
  /** `x402.payment_required_b64`, decoded. */
  readonly template?: ChallengeTemplate;
}

/** The ways of paying for a route, and its challenge; `description` is for people. Throws where nothing can be sold so. */
export function createOffers(config: OfferConfig, kinds: Kinds, description: string | undefined): Offers {
  const { x402, path_prefix: route, public_url: publicUrl, base_url, template } = config;
  const baseUrl = publicUrl || base_url;
  const extensions = extensionsOf(config);
  const resource = {
    ...template?.resource,
    url: x402.resource_url || baseUrl + route,
    ...(description === undefined ? {} : { description }),
  };
  const place = { fixed: x402.resource_url, publicUrl, baseUrl, hasHost: config.host !== undefined };
  const options = { place, testMode: config.test_mode };
  const write = (accepts: PaymentRequirements[]): Challenge =>
    new Challenge(
      {
        x402Version: 2,
        resource,
        accepts,
        ...(Object.keys(extensions).length === 0 ? {} : { extensions }),
      },
      options,
    );
  return new Offers(waysOf(config), kinds, write);
}

/** The extensions that a route's challenge names. */
export function extensionsOf({ x402, template }: OfferConfig): Readonly<Record<string, unknown>> {
  return { ...template?.extensions, ...x402.extensions };
}

/** The route's own terms and those of `accepts`. What the gateway adds stands in the `extra` of each, which clients send back. */
function waysOf({ path_prefix, x402 }: OfferConfig): PaymentRequirements[] {
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
