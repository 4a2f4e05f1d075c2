import { normalisePath } from "../../lib/http/url-path.ts";

/**
 * Replaces `pattern` at the start of a path. A path that does not start with it stays unchanged. So does a path whose rest
 * would form a dot segment or an empty name with the replacement: a path such as `/pub..` must not leave the replacement's
 * folder. Undefined: there is nothing to rewrite.
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
export function createPrefixRewrite(prefix: string, replacement: string): (path: string) => string {
  const length = prefix.endsWith("/") ? prefix.length - 1 : prefix.length;
  const start = replacement.endsWith("/") ? replacement.slice(0, -1) : replacement;
  return function rewritePrefix(path: string): string {
    const rest = path.slice(length);
    const joined = rest === "" ? replacement || "/" : start + rest;
    return joined.startsWith("/") && normalisePath(joined) === joined ? joined : path;
  };
}
