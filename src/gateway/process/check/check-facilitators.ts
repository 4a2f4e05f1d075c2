import { messageOf } from "../../../lib/caught.ts";
import { type Lease } from "../../../payments/facilitator/facilitators.ts";
import { type KindsWatch, SIMULATES } from "../../../payments/x402/kinds.ts";
import type * as Terms from "../../../payments/x402/terms.ts";
import { type Config, type RouteConfig } from "../../config/config.ts";
import { type Diagnostic, diagnosticText } from "../../config/diagnostic.ts";

/** Loaded with the first paid route (bench start). */
const x402Terms = (): typeof Terms => require("../../../payments/x402/terms.ts");

/**
 * `silent`: no response. `missing`: the terms are not supported. `unusable`: no client could pay that way. `simulated`: payments
 * move no money. `costly`: a settlement may cost more than it brings.
 */
export interface FacilitatorDiagnostic extends Diagnostic {
  readonly what: "silent" | "missing" | "unusable" | "simulated" | "costly";
}

interface RouteTerms {
  readonly path: string;
  readonly terms: Parameters<typeof Terms.compileTerms>[0];
}

/** All payment terms of route `i`, its own first. */
function termsOf(x402: NonNullable<RouteConfig["x402"]>, i: number): readonly RouteTerms[] {
  const path = `routes[${i}].x402`;
  return [{ path, terms: x402 }, ...x402.accepts.map((terms, j) => ({ path: `${path}.accepts[${j}]`, terms }))];
}

/** Diagnostics for the facilitators of paid routes. Resolves when all have responded or reached their timeout. */
export async function facilitatorDiagnostics({ x402, routes }: Config, lease: Lease): Promise<FacilitatorDiagnostic[]> {
  const priced = routes.flatMap((route, i) => {
    if (route.x402 === undefined) return [];
    const kinds = x402.test_mode ? simulated() : lease.forRoute(route.x402.facilitator_url).kinds;
    return [{ kinds, path: `routes[${i}].x402`, accepts: termsOf(route.x402, i) }];
  });
  const by = x402.test_mode ? "test mode" : "the facilitator";
  await Promise.all(priced.map(({ kinds }) => kinds.renew()));
  return priced.flatMap(({ kinds, path, accepts }) =>
    kinds.failure === undefined
      ? accepts.flatMap((accepted) => errorOf(kinds, accepted, by) ?? [])
      : [{ what: "silent" as const, path, message: kinds.failure }],
  );
}

/** In test mode this program is the facilitator. */
function simulated(): Pick<KindsWatch, "current" | "failure" | "renew"> {
  return { current: x402Terms().SIMULATED_KINDS, failure: undefined, renew: () => Promise.resolve() };
}

function errorOf(
  kinds: Pick<KindsWatch, "current">,
  { path, terms }: RouteTerms,
  by: string,
): FacilitatorDiagnostic | undefined {
  const { compileTerms, completeTerms, findKind } = x402Terms();
  try {
    const requirements = compileTerms(terms);
    const { scheme, network } = requirements;
    const kind = findKind(kinds.current ?? [], requirements);
    if (kind === undefined) {
      return { what: "missing", path, message: `${by} does not support "${scheme}" on ${network}` };
    }
    completeTerms(requirements, kind);
    return kind.isSimulated === true ? { what: "simulated", path, message: SIMULATES } : undefined;
  } catch (error) {
    return { what: "unusable", path, message: messageOf(error) };
  }
}

/**
 * Checks the facilitators of a configuration that is about to be served. If the configuration requires them, rejects if
 * one is not fit. Otherwise returns at once, and logs the problems when they are known.
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
      const effect = diagnostic.what === "simulated" ? "" : "; until that changes, payments get 503 or are refused";
      log(`warning: ${diagnosticText(diagnostic)}${effect}`);
    }
  } catch (error) {
    log(`warning: ${messageOf(error)}`);
  }
}
