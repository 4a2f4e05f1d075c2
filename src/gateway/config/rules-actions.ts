import { type RouteConfig } from "./config.ts";
import { type Report } from "./draft.ts";
import { HOP_FIELDS } from "./field-roles.ts";
import { MAX_FIXED_BODY_BYTES } from "./schema/route-actions.ts";

/** Keys that a route with this action cannot have. */
const EXCLUDED = {
  tenant: ["upstream", "cache", "traffic_split", "mirror", "mirrors", "redirect", "fixed_response"],
  redirect: ["upstream", "cache", "traffic_split", "mirror", "mirrors", "rewrite", "rewrite_pattern", "fixed_response"],
  fixed_response: ["upstream", "cache", "traffic_split", "mirror", "mirrors", "rewrite", "rewrite_pattern"],
} as const satisfies Partial<Record<keyof RouteConfig, readonly (keyof RouteConfig)[]>>;

/** Fields that frame a fixed response, or that the gateway sets. */
const OWN = new Set([...HOP_FIELDS, "date", "x-request-id"]);

/** Checks a route's action (upstream, tenant, redirect or fixed response) and its rewrites. */
export function checkActions(route: RouteConfig, path: string, report: Report): void {
  const action = (["tenant", "redirect", "fixed_response"] as const).find((key) => route[key] !== undefined);
  if (action === undefined) {
    if (route.upstream === undefined)
      report.problem(`${path}.upstream`, "required, unless tenant, redirect or fixed_response is set");
  } else {
    for (const key of EXCLUDED[action]) {
      if (route[key] !== undefined) report.problem(`${path}.${key}`, `excluded by ${action}`);
    }
  }
  checkRedirect(route, `${path}.redirect`, report);
  checkFixedResponse(route, `${path}.fixed_response`, report);
  checkRewrite(route, path, report);
  if (route.mirror !== undefined && route.mirrors !== undefined) {
    report.problem(`${path}.mirrors`, "excluded by mirror");
  }
}

function checkRedirect({ redirect }: RouteConfig, path: string, report: Report): void {
  if (redirect === undefined) return;
  const { status: _, ...changes } = redirect;
  if (Object.keys(changes).length === 0) {
    report.problem(path, "expected a scheme, host, port, path or prefix: a redirect to the same URL is a loop");
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

function checkRewrite(route: RouteConfig, path: string, report: Report): void {
  const { rewrite } = route;
  if (rewrite === undefined) return;
  const at = `${path}.rewrite`;
  if (Object.keys(rewrite).length === 0) report.problem(at, "expected a path, prefix or host");
  if (rewrite.path !== undefined && rewrite.prefix !== undefined) report.problem(`${at}.prefix`, "excluded by path");
  if (route.rewrite_pattern !== undefined) report.problem(`${path}.rewrite_pattern`, "excluded by rewrite");
  const hasHost = route.upstream_headers.some(({ name }) => name.toLowerCase() === "host");
  if (rewrite.host !== undefined && hasHost) report.problem(`${at}.host`, "excluded by Host of upstream_headers");
}
