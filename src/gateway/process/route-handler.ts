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
  if (redirect === undefined) return undefined;
  const { scheme, host, port, status } = redirect;
  return new Redirect({ scheme, host, port, status, path: pathChange(redirect, prefix) });
}

/** The change of paths in upstream requests; undefined if they are not changed. */
export function rewriteOf(route: RouteConfig): ((path: string) => string) | undefined {
  const { rewrite, rewrite_pattern: pattern, rewrite_replacement: replacement } = route;
  if (rewrite === undefined) return createRewrite(pattern, replacement);
  return pathChange(rewrite, route.path_prefix);
}

function pathChange(
  { path, prefix }: { readonly path?: string; readonly prefix?: string },
  matched: string,
): ((path: string) => string) | undefined {
  if (path !== undefined) return () => path;
  return prefix === undefined ? undefined : createPrefixRewrite(matched, prefix);
}
