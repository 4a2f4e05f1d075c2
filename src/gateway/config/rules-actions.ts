import { type RouteConfig } from "./config.ts";
import { type Report } from "./draft.ts";
import { HOP_BY_HOP_FIELDS } from "../../lib/http/field-roles.ts";
import { MAX_FIXED_BODY_BYTES } from "./schema/route-actions.ts";

/** Keys that a route with this action cannot have. */
const EXCLUDED = {
  tenant: ["upstream", "cache", "traffic_split", "mirror", "mirrors", "redirect", "fixed_response"],
  redirect: ["upstream", "cache", "traffic_split", "mirror", "mirrors", "rewrite", "rewrite_pattern", "fixed_response"],
  fixed_response: ["upstream", "cache", "traffic_split", "mirror", "mirrors", "rewrite", "rewrite_pattern"],
} as const satisfies Partial<Record<keyof RouteConfig, readonly (keyof RouteConfig)[]>>;

/** Fields that frame a fixed response, or that the gateway sets. */
const OWN = new Set([...HOP_BY_HOP_FIELDS, "date", "x-request-id"]);

/** Checks a route's action (upstream, tenant, redirect or fixed response), its rewrites and those of its traffic split. */
export function checkActions(route: RouteConfig, path: string, report: Report): void {
  const action = (["tenant", "redirect", "fixed_response"] as const).find((key) => route[key] !== undefined);
  if (action === undefined) {
    if (route.upstream === undefined && (route.traffic_split ?? []).length === 0)
      report.problem(`${path}.upstream`, "required, unless traffic_split, tenant, redirect or fixed_response is set");
  } else {
    for (const key of EXCLUDED[action]) {
      if (route[key] !== undefined) report.problem(`${path}.${key}`, `excluded by ${action}`);
    }
  }
  checkRedirect(route, `${path}.redirect`, report);
  checkFixedResponse(route, `${path}.fixed_response`, report);
  checkRewrite(route, { route, at: `${path}.rewrite` }, report);
  if (route.rewrite !== undefined && route.rewrite_pattern !== undefined)
    report.problem(`${path}.rewrite_pattern`, "excluded by rewrite");
  for (const [i, entry] of (route.traffic_split ?? []).entries()) {
    checkEntry(entry, { route, at: `${path}.traffic_split[${i}]` }, report);
  }
  if (route.mirror !== undefined && route.mirrors !== undefined) {
    report.problem(`${path}.mirrors`, "excluded by mirror");
  }
}

type SplitEntry = NonNullable<RouteConfig["traffic_split"]>[number];

interface Place {
  readonly route: RouteConfig;
  readonly at: string;
}

function checkEntry(entry: SplitEntry, { route, at }: Place, report: Report): void {
  checkRedirect(entry, `${at}.redirect`, report);
  checkRewrite(entry, { route, at: `${at}.rewrite` }, report);
  if (entry.redirect === undefined) {
    if (entry.upstream === undefined) report.problem(`${at}.upstream`, "required, unless redirect is set");
    return;
  }
  for (const key of ["upstream", "rewrite", "mirrors"] as const) {
    if (entry[key] !== undefined) report.problem(`${at}.${key}`, "excluded by redirect");
  }
  // One client's redirect would be stored for all.
  if (route.cache !== undefined) report.problem(`${at}.redirect`, "excluded by cache of the route");
}

function checkRedirect({ redirect }: Pick<RouteConfig, "redirect">, path: string, report: Report): void {
  if (redirect === undefined) return;
  const { status: _, ...changes } = redirect;
  if (Object.keys(changes).length === 0) {
    report.warning(
      path,
      "redirects to the same URL, which is a loop unless another route takes the next request; set a scheme, host, port, path or prefix",
    );
  }
  if (redirect.path !== undefined && redirect.prefix !== undefined)
    report.problem(`${path}.prefix`, "excluded by path");
}

function checkFixedResponse({ fixed_response: fixed }: RouteConfig, path: string, report: Report): void {
  if (fixed === undefined) return;
  const { status, headers, body } = fixed;
  if (body !== "" && (status === 204 || status === 205 || status === 304)) {
    report.problem(`${path}.body`, `excluded by status ${status}, which has no body`);
  }
  const bytes = Buffer.byteLength(body);
  if (bytes > MAX_FIXED_BODY_BYTES) {
    report.problem(`${path}.body`, `expected at most ${MAX_FIXED_BODY_BYTES} bytes, found ${bytes}`);
  }
  for (const [i, { name }] of headers.entries()) {
    if (OWN.has(name.toLowerCase())) {
      report.problem(`${path}.headers[${i}].name`, `${JSON.stringify(name)} is set by the gateway only`);
    }
  }
}

function checkRewrite({ rewrite }: Pick<RouteConfig, "rewrite">, { route, at }: Place, report: Report): void {
  if (rewrite === undefined) return;
  if (Object.keys(rewrite).length === 0) report.problem(at, "expected a path, prefix or host");
  if (rewrite.path !== undefined && rewrite.prefix !== undefined) report.problem(`${at}.prefix`, "excluded by path");
  const hasHost = route.upstream_headers.some(({ name }) => name.toLowerCase() === "host");
  if (rewrite.host !== undefined && hasHost) report.problem(`${at}.host`, "excluded by Host of upstream_headers");
}
