import { messageOf } from "../../lib/caught.ts";
import { type Desk, type Lease } from "../../payments/facilitators.ts";
import { completeTerms, compileTerms, findKind } from "../../payments/terms.ts";
import { type Config, type RouteConfig } from "../config/config.ts";
import { type Finding, findingText } from "../config/finding.ts";

type RouteTerms = NonNullable<RouteConfig["x402"]>;

/** A way of paying, and where the configuration has it. */
export interface Way {
  readonly path: string;
  readonly terms: Parameters<typeof compileTerms>[0];
}

/** All ways of paying for route `i`, its own first. */
export function waysOf(x402: RouteTerms, i: number): readonly Way[] {
  const path = `routes[${i}].x402`;
  return [{ path, terms: x402 }, ...x402.accepts.map((terms, j) => ({ path: `${path}.accepts[${j}]`, terms }))];
}

/** What is wrong with the facilitators of priced routes: those that do not answer, and ways of paying that they do not take. */
export async function facilitatorFindings(config: Config, lease: Lease): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [i, { x402 }] of config.routes.entries()) {
    if (x402 === undefined) continue;
    const desk = lease.desk(x402.facilitator_url);
    await desk.kinds.ready;
    const { failure } = desk.kinds;
    if (failure === undefined) findings.push(...waysOf(x402, i).flatMap((way) => refusalOf(desk, way) ?? []));
    else findings.push({ path: `routes[${i}].x402`, message: failure });
  }
  return findings;
}

function refusalOf({ kinds }: Desk, { path, terms }: Way): Finding | undefined {
  try {
    const requirements = compileTerms(terms);
    const kind = findKind(kinds.current ?? [], requirements);
    const { scheme, network } = requirements;
    if (kind === undefined) return { path, message: `the facilitator does not take "${scheme}" on ${network}` };
    completeTerms(requirements, kind);
    return undefined;
  } catch (error) {
    return { path, message: messageOf(error) };
  }
}

/**
 * Asks the facilitators of a configuration that is about to be served: rejects where it requires them and one is not fit,
 * otherwise has that logged once they have answered.
 */
export async function requireFacilitators(config: Config, lease: Lease, log: (message: string) => void): Promise<void> {
  // Test mode's facilitator is this program itself.
  if (config.x402.test_mode || config.routes.every(({ x402 }) => x402 === undefined)) return;
  if (!config.x402.require_facilitator) {
    void warn(config, lease, log);
    return;
  }
  const findings = await facilitatorFindings(config, lease);
  if (findings.length > 0) throw new Error(findings.map(findingText).join("\n"));
}

async function warn(config: Config, lease: Lease, log: (message: string) => void): Promise<void> {
  try {
    for (const finding of await facilitatorFindings(config, lease)) {
      log(`warning: ${findingText(finding)}; until it does, payments are answered with 503`);
    }
  } catch (error) {
    log(`warning: ${messageOf(error)}`);
  }
}
