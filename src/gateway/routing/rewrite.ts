import { normalisePath } from "../../lib/url-path.ts";

/** Replaces `pattern` at the start of a path; a path that does not start with it stays. Undefined: nothing to rewrite. */
export function createRewrite(
  pattern: string | undefined,
  replacement: string,
): ((path: string) => string) | undefined {
  if (pattern === undefined || pattern === "") return undefined;
  return function rewrite(path: string): string {
    if (!path.startsWith(pattern)) return path;
    const rest = replacement + path.slice(pattern.length);
    return normalisePath(rest.startsWith("/") ? rest : `/${rest}`) ?? path;
  };
}
