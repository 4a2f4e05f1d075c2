import * as z from "zod";
import { headerName, ours } from "./kinds.ts";

/** A scheme, a host whose first label may be a star, and a port, as browsers write them. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:\*\.)?[^\s/\\@?#*,A-Z]+$/;

/** Browsers leave a scheme's own port out, so an entry with one would match nothing. */
function isOrigin(value: string): boolean {
  if (value === "*" || value === "null") return true;
  if (!ORIGIN.test(value)) return false;
  const probe = value.replace("://*.", "://a.");
  const url = URL.parse(probe);
  if (url === null) return false;
  // Schemes of extensions and apps have no origin by this API, though browsers send one.
  return url.origin === "null" ? url.host !== "" : url.origin === probe;
}

const origin = z
  .string()
  .toLowerCase()
  .refine(isOrigin, 'expected "*", "null" or an origin such as "https://app.example.com" or "https://*.example.com"');

/** RFC 9110 §9.1; methods have capitals that matter. */
const method = z
  .string()
  .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, "expected a method")
  .refine(
    (name) => !/^(?:connect|trace|track)$/i.test(name),
    "no browser sends this method (Fetch, forbidden methods)",
  );

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

const keys = {
  allow_origins: z
    .array(origin)
    .exactOptional()
    .describe(
      "Origins whose scripts may read responses: `https://app.example.com`, `https://*.example.com` for all subdomains, `*` for all, `null` for files and sandboxes. An empty list leaves CORS to the upstream.",
    ),
  allow_methods: z
    .array(method)
    .exactOptional()
    .describe(`Allowed methods, \`*\` for all. Default: ${METHODS.join(", ")}.`),
  allow_headers: z
    .array(headerName)
    .exactOptional()
    .describe("Allowed request header fields. Default: `*`, all fields."),
  expose_headers: z
    .array(headerName)
    .exactOptional()
    .describe(
      "Response header fields that scripts may read, in addition to those that are always readable (Fetch); `*` for all.",
    ),
  allow_credentials: z
    .boolean()
    .exactOptional()
    .describe("Allow cookies and authentication in such requests. Excludes the origins `*` and `null`."),
  max_age_s: z
    .int()
    .min(0)
    .max(86_400)
    .exactOptional()
    .describe("Seconds for which a browser caches the response to a preflight. Default: 600."),
};

/** `cors`: who may read answers, on all routes. */
export const cors = z
  .strictObject(keys)
  .exactOptional()
  .meta(
    ours(
      "Access for scripts of other origins (Fetch, CORS protocol). The gateway responds to preflights before all other policies.",
    ),
  );

/** `routes[].cors`: what differs on one route. */
export const routeCors = z.strictObject(keys).meta(ours("Overrides of `cors` for this route."));

/** What holds where the configuration says nothing. */
export const CORS_DEFAULTS = {
  allow_methods: METHODS,
  allow_headers: ["*"],
  expose_headers: [],
  allow_credentials: false,
  max_age_s: 600,
} as const;
