import { messageOf } from "../../../../lib/caught.ts";
import { type Steps } from "../../../../lib/slices.ts";
import { UINT256_MAX } from "../../../../payments/x402/price.ts";
import { type ChallengeTemplate, decodeTemplate } from "../../../../payments/x402/template.ts";
import { type Config, type RouteX402Config } from "../../../config/config.ts";
import { type Diagnostic } from "../../../config/diagnostic.ts";
import { channels } from "../../../config/schema/x402-channels.ts";
import { createRequirements } from "./create-requirements.ts";

const LONGEST_AMOUNT = String(UINT256_MAX);

/** Channels as long as any in a challenge. The check knows no secrets. */
const LONGEST_CHANNELS = {
  keys: channels.parse({ withdraw_delay_s: 2_592_000, deposit_requests: 1_000_000 }),
  authorizer: { address: `0x${"1".repeat(40)}` },
} as const;

export interface Sold {
  readonly routes: Config["routes"];
  readonly x402: Pick<Config["x402"], "public_url" | "test_mode" | "payment_required_b64">;
  /** The URL of the first listener. */
  readonly baseUrl: string;
}

/** Routes whose challenges differ only in description and URL. */
interface Group {
  readonly indexes: number[];
  /** The index of the route with the longest challenge, and the bytes of its description and URL. */
  longest: number;
  bytes: number;
}

/** The results by routes: a configuration is checked before it is served, and by the process that serves it. */
const found = new WeakMap<Sold["routes"], { readonly of: string; readonly problems: readonly Diagnostic[] }>();

/**
 * The paid routes whose challenges cannot be made or are too long. Of routes with the same terms, only the longest
 * challenge is made. Routes in `known` are not checked.
 */
export function* challengeProblems(sold: Sold, known: ReadonlySet<unknown>): Steps<readonly Diagnostic[]> {
  const { public_url, test_mode, payment_required_b64: encoded } = sold.x402;
  const of = JSON.stringify([public_url, test_mode, encoded, sold.baseUrl]);
  const before = found.get(sold.routes);
  if (before?.of === of) return before.problems;
  const problems: Diagnostic[] = [];
  const groups = yield* groupsOf(sold, known);
  let template: ChallengeTemplate | undefined;
  const check = (i: number): boolean => {
    const route = sold.routes[i];
    if (route?.x402 === undefined) return true;
    const x402 = withLongestAmounts(route.x402);
    const terms = { x402, public_url, test_mode, base_url: sold.baseUrl, channels: LONGEST_CHANNELS };
    try {
      template ??= decodeTemplate(encoded);
      const config = { path_prefix: route.path_prefix, ...terms, template };
      createRequirements(config, { current: undefined }, route.x402.description || undefined).check();
      return true;
    } catch (error) {
      problems.push({ path: `routes[${i}].x402`, message: messageOf(error) });
      return false;
    }
  };
  for (const { indexes, longest } of groups) {
    yield;
    if (check(longest)) continue;
    for (const i of indexes) {
      yield;
      if (i !== longest) check(i);
    }
  }
  found.set(sold.routes, { of, problems });
  return problems;
}

/** The terms with the longest amounts that the rules of the route can have. */
function withLongestAmounts(x402: RouteX402Config): RouteX402Config {
  if (x402.rules.length === 0) return x402;
  return {
    ...x402,
    price: LONGEST_AMOUNT,
    accepts: x402.accepts.map((terms) => ({ ...terms, price: LONGEST_AMOUNT })),
  };
}

function* groupsOf({ routes, baseUrl }: Sold, known: ReadonlySet<unknown>): Steps<readonly Group[]> {
  const groups = new Map<string, Group>();
  for (const [i, route] of routes.entries()) {
    yield;
    const { x402 } = route;
    if (x402 === undefined || known.has(route)) continue;
    const { description, resource_url: fixed } = x402;
    const bytes = Buffer.byteLength(JSON.stringify([description, fixed || baseUrl + route.path_prefix]));
    const terms = termsText(x402);
    const group = groups.get(terms);
    group?.indexes.push(i);
    if (group === undefined) groups.set(terms, { indexes: [i], longest: i, bytes });
    else if (bytes > group.bytes) Object.assign(group, { longest: i, bytes });
  }
  return [...groups.values()];
}

/** The terms of a route as text, without what differs between routes that are sold alike. */
function termsText(x402: RouteX402Config): string {
  return JSON.stringify({ ...x402, description: "", resource_url: "" });
}
