import { type RouteConfig } from "../config/config.ts";
import { createPrefixRewrite, createRewrite } from "../routing/rewrite.ts";
import { FixedResponse } from "../static/fixed-response.ts";
import { Redirect } from "../static/redirect.ts";

/** The handler that responds in place of an upstream; undefined if the route has an upstream. */
export function ownResponse({
  redirect,
  fixed_response: fixed,
  path_prefix: prefix,
}: RouteConfig): Redirect | FixedResponse | undefined {
  if (fixed !== undefined) return new FixedResponse(fixed);
  return redirect && redirectOf(redirect, prefix);
}

/** Redirects requests of a route with this prefix. */
export function redirectOf(redirect: NonNullable<RouteConfig["redirect"]>, prefix: string): Redirect {
  const { scheme, host, port, status } = redirect;
  return new Redirect({ scheme, host, port, status, path: pathChange(redirect, prefix) });
}

/**
 * The change of paths in upstream requests; undefined if they are not changed. `own` is the rewrite of an entry of
 * `traffic_split`: its change of the path replaces that of the route.
 */
export function rewriteOf(
  route: RouteConfig,
  own?: NonNullable<RouteConfig["rewrite"]>,
): ((path: string) => string) | undefined {
  const { path_prefix: prefix, rewrite, rewrite_pattern: pattern, rewrite_replacement: replacement } = route;
  const ownChange = own && pathChange(own, prefix);
  if (ownChange !== undefined) return ownChange;
  return rewrite === undefined ? createRewrite(pattern, replacement) : pathChange(rewrite, prefix);
}

function pathChange(
  { path, prefix }: { readonly path?: string; readonly prefix?: string },
  matched: string,
): ((path: string) => string) | undefined {
  if (path !== undefined) return () => path;
  return prefix === undefined ? undefined : createPrefixRewrite(matched, prefix);
}
