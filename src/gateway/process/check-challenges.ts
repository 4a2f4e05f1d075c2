import { messageOf } from "../../lib/caught.ts";
import { decodeTemplate } from "../../payments/x402/template.ts";
import { type Config } from "../config/config.ts";
import { type Finding } from "../config/finding.ts";
import { createOffers } from "../policy/payment/challenge/route-offers.ts";
import { listenersOf, placeOf, urlOf } from "./listener-plan.ts";

/** Which priced routes cannot say what they cost, and why: the gateway would not start. */
export function challengeFindings(config: Config): Finding[] {
  const { routes, x402 } = config;
  const [first] = listenersOf(config);
  const { public_url, test_mode } = x402;
  const base_url = first === undefined ? "" : urlOf(placeOf(first));
  return routes.flatMap(({ x402: terms, path_prefix }, i) => {
    if (terms === undefined) return [];
    try {
      const template = decodeTemplate(x402.payment_required_b64);
      createOffers(
        { path_prefix, x402: terms, public_url, base_url, test_mode, template },
        { current: undefined },
        terms.description || undefined,
      );
      return [];
    } catch (error) {
      return [{ path: `routes[${i}].x402`, message: messageOf(error) }];
    }
  });
}
