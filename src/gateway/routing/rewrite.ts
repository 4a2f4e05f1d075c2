import { normalisePath } from "../../lib/url-path.ts";

/**
 * Replaces `pattern` at the start of a path. A path that does not start with it stays, and so does one whose rest would make
 * a dot segment or an empty name with the replacement: `/pub..` must not climb out of it. Undefined: nothing to rewrite.
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
