import { messageOf } from "../../../../lib/caught.ts";
import { type ChannelSettings, withChannelTerms } from "../../../../payments/channels/settings.ts";
import { GAS_APPROVAL } from "../../../../payments/signatures/gas-approval.ts";
import { GAS_APPROVAL_DECLARATION } from "../../../../payments/signatures/read-gas-approval.ts";
import { GAS_PERMIT, GAS_PERMIT_DECLARATION } from "../../../../payments/signatures/gas-permit.ts";
import { type MeterTerms } from "../../../../payments/x402/meter.ts";
import { type PaymentRequirements } from "../../../../payments/x402/messages.ts";
import { type ChallengeTemplate } from "../../../../payments/x402/template.ts";
import { CHANNEL_SCHEME } from "../../../../store/channels.ts";
import { compileTerms } from "../../../../payments/x402/terms.ts";
import { type RouteX402Config } from "../../../config/config.ts";
import { type RouteIdentity } from "../../../routing/route-name.ts";
import { type BlockhashUrl } from "../../../../payments/browser/pay-script.ts";
import { type PriceConfig } from "../prices/price-rules.ts";
import { type PaymentAuth } from "../mpp/payment-auth.ts";
import { type TermsSigner } from "../protocol/signed-terms.ts";
import { Challenge } from "./challenge.ts";
import { type Kinds, RouteRequirements } from "./route-requirements.ts";

/** The keys of `routes[].x402` that decide how a payment is taken and its response delivered. */
export interface SaleTerms
  extends Pick<RouteX402Config, "settle" | "inline_receipt" | "max_partial_answers" | "max_repeats"> {
  /** The units that a payment covers; undefined: the whole response. */
  readonly meter?: MeterTerms | undefined;
}

/** The keys of `routes[].x402` that the payment policy uses. An empty string is not set. */
export type PaymentTerms = PriceConfig &
  SaleTerms &
  Pick<RouteX402Config, "resource_url" | "extensions" | "settlement_url" | "gateway_id">;

/** The keys of a route that its challenge needs. */
export interface PaidRouteConfig extends RouteIdentity {
  readonly x402: PaymentTerms;
  /** `x402.public_url`: the beginning of resource URLs, without a final slash. Empty: as the client requested. */
  readonly public_url: string;
  /** The URL of the first listener, used in the catalogue if there is no `public_url`. */
  readonly base_url: string;
  readonly test_mode: boolean;
  /** `x402.payment_required_b64`, decoded. */
  readonly template?: ChallengeTemplate | undefined;
  readonly signer?: TermsSigner | undefined;
  readonly auth?: PaymentAuth | undefined;
  readonly blockhashUrl?: BlockhashUrl | undefined;
  /** Undefined if there is no way to pay from a channel. */
  readonly channels?: ChannelTerms | undefined;
}

/** The seller's side of the channels that a route accepts. */
export interface ChannelTerms extends Pick<ChannelSettings, "keys"> {
  readonly authorizer: Pick<ChannelSettings["authorizer"], "address">;
}

/** The declarations of the extensions by which a facilitator pays gas for payers. */
const SPONSORING: Readonly<Record<string, object>> = {
  [GAS_PERMIT]: GAS_PERMIT_DECLARATION,
  [GAS_APPROVAL]: GAS_APPROVAL_DECLARATION,
};

/** A route's payment requirements and challenge; `description` is for people. Throws if it cannot be sold. */
export function createRequirements(
  config: PaidRouteConfig,
  kinds: Kinds,
  description: string | undefined,
): RouteRequirements {
  const { x402, path_prefix: route, public_url: publicUrl, base_url, template } = config;
  const baseUrl = publicUrl || base_url;
  const extensions = extensionsOf(config);
  const resource = {
    ...template?.resource,
    url: x402.resource_url || baseUrl + route,
    ...(description === undefined ? {} : { description }),
  };
  const location = { fixed: x402.resource_url, publicUrl, baseUrl, hasHost: config.host !== undefined };
  const options = {
    location,
    testMode: config.test_mode,
    signer: config.signer,
    auth: config.auth,
    blockhashUrl: config.blockhashUrl,
  };
  const write = (accepts: PaymentRequirements[], sponsoring: readonly string[] = []): Challenge => {
    const all = { ...Object.fromEntries(sponsoring.map((name) => [name, SPONSORING[name]])), ...extensions };
    const more = Object.keys(all).length === 0 ? {} : { extensions: all };
    return new Challenge({ x402Version: 2, resource, accepts, ...more }, options);
  };
  return new RouteRequirements(acceptsOf(config), kinds, write);
}

/** The extensions in a route's challenge. */
export function extensionsOf({ x402, template }: PaidRouteConfig): Readonly<Record<string, unknown>> {
  return { ...template?.extensions, ...x402.extensions };
}

/** The route's own requirements and those of `accepts`, each with the gateway's additions in `extra`. */
function acceptsOf({ path_prefix, x402, channels }: PaidRouteConfig): PaymentRequirements[] {
  const gateway = x402.gateway_id === "" ? {} : { gatewayId: x402.gateway_id };
  const meter = x402.meter && { meter: { unit: x402.meter.unit, units: x402.meter.units } };
  const added = {
    ...gateway,
    // Clients prefer to pay for a response that is already there.
    ...(x402.settle === "before" ? { paymentFlow: "upfront" } : {}),
  };
  try {
    return [x402, ...x402.accepts].map((terms) => {
      const requirements = compileTerms(terms);
      if (requirements.scheme === CHANNEL_SCHEME) {
        if (channels === undefined) throw new Error("Cannot accept payments: the key of x402.channels is missing");
        return withChannelTerms({ ...requirements, extra: { ...requirements.extra, ...gateway, ...meter } }, channels);
      }
      return { ...requirements, extra: { ...requirements.extra, ...added } };
    });
  } catch (error) {
    const reason = messageOf(error);
    throw new Error(`Cannot serve route "${path_prefix}": ${reason}`, { cause: error });
  }
}
