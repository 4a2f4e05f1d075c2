import { normalisePath } from "../../lib/http/url-path.ts";
import { type RouteConfig } from "../config/config.ts";

/**
 * Replaces `pattern` at the start of a path. A path that does not start with it stays unchanged. So does a path whose rest
 * would form a dot segment or an empty name with the replacement: a path such as `/pub..` must not leave the replacement's
 * folder. Undefined: there is nothing to rewrite. @internal
 */
export function createRewrite(
  pattern: string | undefined,
  replacement: string,
): ((path: string) => string) | undefined {
  if (pattern === undefined || pattern === "") return undefined;
  return function rewrite(path: string): string {
    if (!path.startsWith(pattern)) return path;
    const rest = replacement + path.slice(pattern.length);
    const joined = (rest.startsWith("/") ? rest : `/${rest}`).replace("//", "/");
    return normalisePath(joined) === joined ? joined : path;
  };
}

/**
 * Replaces the segments of `prefix`, as ReplacePrefixMatch in the Gateway API does. Every path starts with `prefix`. A
 * trailing slash of `prefix` or `replacement` makes no difference, unless the prefix is the whole path. A path stays
 * unchanged if the result would not be normalised.
 */
function createPrefixRewrite(prefix: string, replacement: string): (path: string) => string {
  const length = prefix.endsWith("/") ? prefix.length - 1 : prefix.length;
  const start = replacement.endsWith("/") ? replacement.slice(0, -1) : replacement;
  return function rewritePrefix(path: string): string {
    const rest = path.slice(length);
    const joined = rest === "" ? replacement || "/" : start + rest;
    return joined.startsWith("/") && normalisePath(joined) === joined ? joined : path;
  };
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

/** The change of paths that `path` or `prefix` asks for, on a route with the prefix `matched`; undefined without them. */
export function pathChange(
  { path, prefix }: { readonly path?: string; readonly prefix?: string },
  matched: string,
): ((path: string) => string) | undefined {
  if (path !== undefined) return () => path;
  return prefix === undefined ? undefined : createPrefixRewrite(matched, prefix);
}
