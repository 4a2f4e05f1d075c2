import { array, boolean, int, strictObject, string } from "./recorded-schema.ts";
import { headerName, ours } from "./kinds.ts";

/** A scheme, a host and a port, as browsers write them. The first label of the host may be a star. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:\*\.)?[^\s/\\@?#*,A-Z]+$/;

/** True for an origin as browsers send it: without the scheme's default port. */
function isOrigin(value: string): boolean {
  if (value === "*" || value === "null") return true;
  if (!ORIGIN.test(value)) return false;
  const probe = value.replace("://*.", "://a.");
  const url = URL.parse(probe);
  if (url === null) return false;
  // `URL.origin` is "null" for the schemes of extensions and apps, although browsers send an origin for them.
  return url.origin === "null" ? url.host !== "" : url.origin === probe;
}

const origin = string()
  .toLowerCase()
  .refine(isOrigin, 'expected "*", "null" or an origin such as "https://app.example.com" or "https://*.example.com"');

/** A method (RFC 9110 §9.1), which is case-sensitive. */
const method = string()
  .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, "expected a method")
  .refine(
    (name) => !/^(?:connect|trace|track)$/i.test(name),
    "no browser sends this method (Fetch, forbidden methods)",
  );

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

const keys = {
  allow_origins: array(origin)
    .exactOptional()
    .describe(
      "Origins whose scripts may read responses: `https://app.example.com`, `https://*.example.com`, `*` for all, `null` for files and sandboxes. Empty: CORS is left to the upstream.",
    ),
  allow_methods: array(method)
    .exactOptional()
    .describe(`Allowed methods, \`*\` for all. Default: ${METHODS.join(", ")}.`),
  allow_headers: array(headerName).exactOptional().describe("Allowed request header fields. Default: `*`, all fields."),
  expose_headers: array(headerName)
    .exactOptional()
    .describe("Further response header fields that scripts may read; `*` for all."),
  allow_credentials: boolean()
    .exactOptional()
    .describe("Allow cookies and authentication in such requests. Excludes the origins `*` and `null`."),
  max_age_s: int()
    .min(0)
    .max(86_400)
    .exactOptional()
    .describe("Seconds for which a browser caches the response to a preflight. Default: 600."),
};

/** `cors`: the origins whose pages may read responses, on all routes. */
export const cors = strictObject(keys)
  .exactOptional()
  .meta(ours("Access for scripts of other origins. The gateway responds to preflights before all other policies."));

export const routeCors = strictObject(keys).meta(ours("Overrides of `cors` for this route."));

/** The values for absent keys. */
export const CORS_DEFAULTS = {
  allow_methods: METHODS,
  allow_headers: ["*"],
  expose_headers: [],
  allow_credentials: false,
  max_age_s: 600,
} as const;
