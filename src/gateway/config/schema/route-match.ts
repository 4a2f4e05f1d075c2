import { array, strictObject, string } from "./recorded-schema.ts";
import { headerName, headerValue, ours, secret, text, flag } from "./kinds.ts";

/** Conditions of one kind in a match, as in the Gateway API; the configuration is refused with more. @operator */
const MAX_CONDITIONS = 16;
/** Characters of a regular expression; a longer one is refused. `lib/patterns/linear-pattern.ts` limits its repetitions. @operator */
const MAX_PATTERN_LENGTH = 256;
/** Characters of a value or of a parameter's name; a longer one is refused. */
const MAX_VALUE_LENGTH = 4096;
/** Characters of the name of a gRPC service or method; a longer one is refused. */
const MAX_GRPC_NAME = 1024;

const pattern = text.max(MAX_PATTERN_LENGTH);

/** A method, which is a case-sensitive token (RFC 9110 §9.1). */
const method = string()
  .max(64)
  .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, 'expected a method, as in "GET"');

const headerCondition = strictObject({
  name: headerName.describe("Field name."),
  value: headerValue
    .meta(secret("field"))
    .exactOptional()
    .describe("The field's whole value. A request with two lines of the field gets 400."),
  pattern: pattern
    .meta(secret("field"))
    .exactOptional()
    .describe("Regular expression for the whole value, in place of `value`."),
}).describe("One header field. With neither `value` nor `pattern`, any value matches.");

const queryCondition = strictObject({
  name: text.max(MAX_VALUE_LENGTH).describe("Name of the parameter, decoded."),
  value: string()
    .max(MAX_VALUE_LENGTH)
    .meta(secret())
    .exactOptional()
    .describe("The parameter's whole value, decoded."),
  pattern: pattern
    .meta(secret())
    .exactOptional()
    .describe("Regular expression for the whole value, in place of `value`."),
}).describe(
  "One query parameter. With neither `value` nor `pattern`, any value matches. A request with two values of the parameter gets 400.",
);

const grpcName = string().max(MAX_GRPC_NAME);

const grpc = strictObject({
  service: grpcName
    .regex(/^[A-Za-z_][\w.]*$/, 'expected the full name of a service, as in "shop.v1.Cart"')
    .exactOptional()
    .describe("Full name of the service. Absent: any service."),
  method: grpcName
    .regex(/^[A-Za-z_]\w*$/, 'expected the name of a method, as in "AddItem"')
    .exactOptional()
    .describe("Name of the method. Absent: any method."),
}).describe("A gRPC service, method or both. The path is `/service/method`.");

/** Conditions that routes and prices share. */
const conditions = {
  methods: array(method).max(MAX_CONDITIONS).default([]).describe("Methods. Empty: any method."),
  headers: array(headerCondition).max(MAX_CONDITIONS).default([]).describe("Header fields, all of which must match."),
  query: array(queryCondition).max(MAX_CONDITIONS).default([]).describe("Query parameters, all of which must match."),
};

/** `routes[].x402.rules[].match`. */
export const priceMatch = strictObject({
  path_pattern: pattern.exactOptional().describe("Regular expression for the whole path."),
  ...conditions,
}).describe("Conditions, all of which must match.");

export const routeMatch = strictObject({
  exact_path: flag().describe("Match only the path that equals `path_prefix`, and not the paths below it."),
  path_pattern: pattern.exactOptional().describe("Regular expression for the whole path, beside `path_prefix`."),
  ...conditions,
  grpc: grpc.exactOptional(),
}).meta(ours("Conditions beside `path_prefix` and `host`, all of which must match."));

export const routeNameKey = string()
  .regex(/^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/, 'expected a name of small letters, digits, ".", "_" and "-"')
  .meta(ours("Distinguishes routes with the same `path_prefix` and `host`, also in metrics and the admin API."));
