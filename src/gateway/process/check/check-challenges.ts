import { isDeepStrictEqual } from "node:util";
import { messageOf } from "../../../lib/caught.ts";
import { type Steps } from "../../../lib/slices.ts";
import { decodeTemplate } from "../../../payments/x402/template.ts";
import { type Config } from "../../config/config.ts";
import { type Diagnostic } from "../../config/diagnostic.ts";
import { createRequirements } from "../../policy/payment/challenge/create-requirements.ts";
import { listenersOf, endpointOf, urlOf } from "../listeners/listener-plan.ts";

/**
 * Diagnostics for the paid routes whose payment requirements cannot be made. With one of them the gateway would not
 * start. The routes of `served`, which is in use, are not checked again.
 */
export function* challengeSteps(config: Config, served?: Config): Steps<Diagnostic[]> {
  const settings = settingsOf(config);
  const isSame = served !== undefined && isDeepStrictEqual(settings, settingsOf(served));
  const known = new Set(isSame ? served.routes : []);
  const found: Diagnostic[] = [];
  for (const [i, route] of config.routes.entries()) {
    const { x402: terms, path_prefix } = route;
    yield;
    if (terms === undefined || known.has(route)) continue;
    try {
      const { encoded, ...rest } = settings;
      const requirements = { path_prefix, x402: terms, ...rest, template: decodeTemplate(encoded) };
      createRequirements(requirements, { current: undefined }, terms.description || undefined);
    } catch (error) {
      found.push({ path: `routes[${i}].x402`, message: messageOf(error) });
    }
  }
  return found;
}

function settingsOf(config: Config) {
  const { public_url, test_mode, payment_required_b64: encoded } = config.x402;
  const [first] = listenersOf(config);
  return { public_url, test_mode, encoded, base_url: first === undefined ? "" : urlOf(endpointOf(first)) };
}
