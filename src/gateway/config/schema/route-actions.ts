import { array, literal, number, oneOf, strictObject, string } from "./recorded-schema.ts";
import { connectPort, count, headerName, headerValue, ours, secret, text } from "./kinds.ts";
import { pathPrefix, rewriteReplacement } from "./path.ts";

/** Header fields of a fixed response; the configuration is refused with more. @operator */
const MAX_FIELDS = 32;
/** Bytes of the body of a fixed response; a longer one is refused. Each worker has it in memory. */
export const MAX_FIXED_BODY_BYTES = 65_536;
/** Mirrors of one request; the configuration is refused with more. */
const MAX_MIRRORS = 8;

const hostName = string()
  .toLowerCase()
  .regex(
    /^(?:[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?|\[[0-9A-Fa-f:.]+\])$/,
    'expected a host name without port, as in "example.com"',
  );

const hostAndPort = string().regex(
  /^(?:[\w.-]+|\[[\da-fA-F:.]+\])(?::\d{1,5})?$/,
  "expected a host name, with or without port",
);

export const redirect = strictObject({
  scheme: oneOf(["http", "https"]).exactOptional().describe("Scheme of the new URL. Absent: that of the request."),
  host: hostName.exactOptional().describe("Host of the new URL. Absent: that of the request."),
  port: connectPort
    .exactOptional()
    .describe("Port of the new URL. Absent: with `scheme`, its port; otherwise that of the request."),
  path: pathPrefix.exactOptional().describe("Path of the new URL, in place of the whole path."),
  prefix: rewriteReplacement
    .exactOptional()
    .describe("Replacement for `path_prefix` at the start of the path. Excludes `path`."),
  status: literal([301, 302, 303, 307, 308]).default(302).describe("Status."),
}).meta(ours("Redirect requests, in place of `upstream`. The query is kept."));

const field = strictObject({
  name: headerName.describe("Field name."),
  value: headerValue.meta(secret("responseField")).describe("Field value."),
}).describe("One header field.");

export const fixedResponse = strictObject({
  status: count(200, 200, 599).describe("Status."),
  headers: array(field)
    .max(MAX_FIELDS)
    .default([])
    .describe("Header fields. Without `Content-Type`, a body is `text/plain; charset=utf-8`."),
  body: string().max(MAX_FIXED_BODY_BYTES).default("").describe("Body, as UTF-8, at most 65,536 bytes."),
}).meta(ours("Respond without an upstream, in place of `upstream`."));

export const rewrite = strictObject({
  path: pathPrefix.meta(secret("url")).exactOptional().describe("Path for the upstream, in place of the whole path."),
  prefix: rewriteReplacement
    .meta(secret("url"))
    .exactOptional()
    .describe("Replacement for `path_prefix` at the start of the path. Excludes `path`."),
  host: hostAndPort.exactOptional().describe("Host for the upstream. `X-Forwarded-Host` has the client's."),
}).meta(ours("Path and host of upstream requests. `prefix` replaces whole segments."));

const mirror = strictObject({
  upstream: text.describe("Name of an upstream."),
  percent: number().min(0).max(100).default(100).describe("Percentage of the requests that are copied."),
}).describe("One upstream that receives copies.");

export const mirrors = array(mirror)
  .max(MAX_MIRRORS)
  .exactOptional()
  .meta(ours("Several mirrors, or mirrors of a percentage, in place of `mirror`."));
