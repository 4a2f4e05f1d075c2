import { messageOf } from "../../lib/caught.ts";
import { type Lease } from "../../payments/facilitator/facilitators.ts";
import { type KindsWatch } from "../../payments/facilitator/kinds.ts";
import type * as Terms from "../../payments/x402/terms.ts";
import { type Config, type RouteConfig } from "../config/config.ts";
import { type Diagnostic, diagnosticText } from "../config/diagnostic.ts";

/** Loaded with the first priced route (bench start). */
const x402Terms = (): typeof Terms => require("../../payments/x402/terms.ts");

/** `silent`: a facilitator does not answer, or not yet. `missing`: it does not take this. `unusable`: it does, and nobody could pay so. */
export interface FacilitatorDiagnostic extends Diagnostic {
  readonly what: "silent" | "missing" | "unusable";
}

interface Way {
  readonly path: string;
  readonly terms: Parameters<typeof Terms.compileTerms>[0];
}

/** All ways of paying for route `i`, its own first. */
function waysOf(x402: NonNullable<RouteConfig["x402"]>, i: number): readonly Way[] {
  const path = `routes[${i}].x402`;
  return [{ path, terms: x402 }, ...x402.accepts.map((terms, j) => ({ path: `${path}.accepts[${j}]`, terms }))];
}

/** What is wrong with the facilitators of priced routes, once all have answered or had the time for it. */
export async function facilitatorDiagnostics({ x402, routes }: Config, lease: Lease): Promise<FacilitatorDiagnostic[]> {
  // Test mode's facilitator is this program itself.
  if (x402.test_mode) return [];
  const priced = routes.flatMap((route, i) => {
    if (route.x402 === undefined) return [];
    const { kinds } = lease.desk(route.x402.facilitator_url);
    return [{ kinds, path: `routes[${i}].x402`, ways: waysOf(route.x402, i) }];
  });
  await Promise.all(priced.map(({ kinds }) => kinds.renew()));
  return priced.flatMap(({ kinds, path, ways }) =>
    kinds.failure === undefined
      ? ways.flatMap((way) => faultOf(kinds, way) ?? [])
      : [{ what: "silent" as const, path, message: kinds.failure }],
  );
}

function faultOf(kinds: KindsWatch, { path, terms }: Way): FacilitatorDiagnostic | undefined {
  const { compileTerms, completeTerms, findKind } = x402Terms();
  try {
    const requirements = compileTerms(terms);
    const { scheme, network } = requirements;
    const kind = findKind(kinds.current ?? [], requirements);
    if (kind === undefined) {
      return { what: "missing", path, message: `the facilitator does not take "${scheme}" on ${network}` };
    }
    completeTerms(requirements, kind);
    return undefined;
  } catch (error) {
    return { what: "unusable", path, message: messageOf(error) };
  }
}

/**
 * Asks the facilitators of a configuration that is about to be served: rejects where it requires them and one is not fit;
 * otherwise has that logged when they have answered, and waits for nobody.
 */
export async function requireFacilitators(config: Config, lease: Lease, log: (message: string) => void): Promise<void> {
  if (!config.x402.require_facilitator) {
    void warn(config, lease, log);
    return;
  }
  const diagnostics = await facilitatorDiagnostics(config, lease);
  if (diagnostics.length > 0) throw new Error(diagnostics.map(diagnosticText).join("\n"));
}

async function warn(config: Config, lease: Lease, log: (message: string) => void): Promise<void> {
  try {
    for (const diagnostic of await facilitatorDiagnostics(config, lease)) {
      log(`warning: ${diagnosticText(diagnostic)}; until that changes, payments get 503 or are refused`);
    }
  } catch (error) {
    log(`warning: ${messageOf(error)}`);
  }
}
