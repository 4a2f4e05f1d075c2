import { type RouteConfig } from "../config/config.ts";
import { createPrefixRewrite, createRewrite } from "./rewrite.ts";

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

/** The change of paths that `path` or `prefix` asks for, on a route with the prefix `matched`; undefined without them. */
export function pathChange(
  { path, prefix }: { readonly path?: string; readonly prefix?: string },
  matched: string,
): ((path: string) => string) | undefined {
  if (path !== undefined) return () => path;
  return prefix === undefined ? undefined : createPrefixRewrite(matched, prefix);
}
