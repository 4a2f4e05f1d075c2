import * as z from "zod";

const ESCAPE = /%(..)/g;
const UNRESERVED = /[A-Za-z0-9\-._~]/;

/**
 * What is wrong with a path that must stand as the router would make it (no dot segments, no escape it would decode or
 * refuse), or undefined. A path in another form would never match, and a route that never matches guards nothing.
 */
export function pathFault(path: string): string | undefined {
  if (!path.startsWith("/")) return "expected a path that starts with /";
  if (!/^[!-~]*$/.test(path)) return "expected a path in ASCII, other characters as % escapes";
  if (/[\\?#]/.test(path)) return "expected a path without backslash, query and fragment";
  if (path.split("/").some((segment) => segment === "." || segment === "..")) {
    return "expected a path without dot segments";
  }
  if (/%(?![0-9A-F]{2})/.test(path)) return "expected escapes of two digits or capitals (%2A)";
  for (const [escape, hex] of path.matchAll(ESCAPE)) {
    const character = String.fromCharCode(Number.parseInt(hex ?? "", 16));
    if (character === "/" || character === "\\" || character === "\0") {
      return `expected a path without ${escape}, which requests may not hold`;
    }
    if (UNRESERVED.test(character)) return `expected ${character} in place of ${escape}`;
  }
  return undefined;
}

/** A prefix of request paths, in the form that the router compares. */
export const pathPrefix = z.string().superRefine((path, context) => {
  const fault = pathFault(path);
  if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
});

/** Empty, or a path as in `pathPrefix`. */
export const rewriteReplacement = z.string().superRefine((path, context) => {
  const fault = path === "" ? undefined : pathFault(path);
  if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
});

/** A host name in lower case, without port; the first label may be `*`. */
export const routeHost = z
  .string()
  .toLowerCase()
  .regex(
    /^(?:(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\])$/,
    'expected a host name without port, as in "example.com" or "*.example.com"',
  );
