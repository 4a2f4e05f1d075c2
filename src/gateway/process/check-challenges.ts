import { messageOf } from "../../lib/caught.ts";
import { decodeTemplate } from "../../payments/x402/template.ts";
import { type Config } from "../config/config.ts";
import { type Diagnostic } from "../config/diagnostic.ts";
import { createRequirements } from "../policy/payment/challenge/create-requirements.ts";
import { listenersOf, endpointOf, urlOf } from "./listener-plan.ts";

/**
 * Diagnostics for the paid routes whose payment requirements cannot be made. With one of them the gateway would not
 * start.
 */
export function challengeDiagnostics(config: Config): Diagnostic[] {
  const { routes, x402 } = config;
  const [first] = listenersOf(config);
  const { public_url, test_mode } = x402;
  const base_url = first === undefined ? "" : urlOf(endpointOf(first));
  return routes.flatMap(({ x402: terms, path_prefix }, i) => {
    if (terms === undefined) return [];
    try {
      const template = decodeTemplate(x402.payment_required_b64);
      createRequirements(
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
