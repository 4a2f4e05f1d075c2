import { isDeepStrictEqual } from "node:util";
import { type Steps } from "../../../lib/slices.ts";
import { type Config } from "../../config/config.ts";
import { type Diagnostic } from "../../config/diagnostic.ts";
import { challengeProblems, type Sold } from "../../policy/payment/challenge/check-challenges.ts";
import { listenersOf, endpointOf, urlOf } from "../listeners/listener-plan.ts";

/**
 * Diagnostics for the paid routes whose payment requirements cannot be made. With one of them the gateway would not
 * start. The routes of `served`, which is in use, are not checked again.
 */
export function challengeSteps(config: Config, served?: Config): Steps<readonly Diagnostic[]> {
  const [sold, before] = [soldBy(config), served && soldBy(served)];
  const isSame = isDeepStrictEqual({ ...sold, routes: [] }, before && { ...before, routes: [] });
  return challengeProblems(sold, new Set(isSame ? before?.routes : []));
}

function soldBy(config: Config): Sold {
  const { public_url, test_mode, payment_required_b64 } = config.x402;
  const [first] = listenersOf(config);
  const baseUrl = first === undefined ? "" : urlOf(endpointOf(first));
  return { routes: config.routes, x402: { public_url, test_mode, payment_required_b64 }, baseUrl };
}
