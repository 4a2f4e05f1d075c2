import { string } from "./recorded-schema.ts";
import { normalisePath } from "../../../lib/http/url-path.ts";

/**
 * The error of a path that is not in the normal form of request paths (`normalisePath`); undefined if it is. A path in
 * another form would never match, and its route would protect nothing.
 */
function pathError(path: string): string | undefined {
  if (!path.startsWith("/")) return "expected a path that starts with /";
  if (!/^[!-~]*$/.test(path)) return "expected a path in ASCII, other characters as % escapes";
  if (/[\\?#]/.test(path)) return "expected a path without backslash, query and fragment";
  const normal = normalisePath(path);
  if (normal === undefined)
    return "expected a path that requests may have: no broken escapes, %2F, %5C, %00, %0A, %0D, overlong UTF-8, and no parameter without a name before it";
  // The request path that the router compares.
  return normal === path ? undefined : `expected the normal form ${JSON.stringify(normal)}`;
}

/** A prefix of request paths, in the normal form that the router compares. */
export const pathPrefix = string().superRefine((path, context) => {
  const error = pathError(path);
  if (error !== undefined) context.addIssue({ code: "custom", message: error });
});

/** An empty string, or a path as in `pathPrefix`. */
export const rewriteReplacement = string().superRefine((path, context) => {
  const error = path === "" ? undefined : pathError(path);
  if (error !== undefined) context.addIssue({ code: "custom", message: error });
});

/** A host name in lower case, without port; the first label may be `*`. */
export const routeHost = string()
  .toLowerCase()
  .regex(
    /^(?:(?:\*\.)?[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?|\[[0-9A-Fa-f:.]+\])$/,
    'expected a host name without port, as in "example.com" or "*.example.com"',
  );
