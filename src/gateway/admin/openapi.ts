import { OpenAPIHono, z } from "@hono/zod-openapi";
import { ERRORS, type ErrorCode, PROBLEM_CONTENT_TYPE } from "../../lib/errors.ts";
import { VERSION } from "../../lib/process/version.ts";
import { type Operation, type Success } from "./operations/operation.ts";
import { anyObject, ETAG, problem } from "./shapes/common.ts";

type PathConfig = Parameters<OpenAPIHono["openAPIRegistry"]["registerPath"]>[0];
type Responses = PathConfig["responses"];

const ALWAYS: readonly ErrorCode[] = [
  "bad-request",
  "bad-path",
  "host-not-allowed",
  "uri-too-long",
  "head-too-large",
  "internal",
  "overloaded",
];
const GUARDED: readonly ErrorCode[] = ["unauthorized", "missing-csrf-token", "rate-limited"];
const WITH_BODY: readonly ErrorCode[] = ["body-too-large", "unsupported-media-type"];

const SECURITY = [{ apiKey: [] }, { bearer: [] }, { session: [] }];

/** All operations, and the operation that describes them and itself. */
export function withDescription(operations: readonly Operation[]): readonly Operation[] {
  let text: string | undefined;
  const describe: Operation = {
    name: "describe",
    method: "get",
    path: "/v1/openapi.json",
    summary: "The description of this interface: OpenAPI 3.1",
    access: "read",
    success: { description: "The description", schema: anyObject.openapi("OpenApi") },
    run: () =>
      new Response((text ??= JSON.stringify(describeApi(all))), { headers: { "content-type": "application/json" } }),
  };
  const all = [...operations, describe];
  return all;
}

/** The OpenAPI 3.1 description of operations. */
function describeApi(operations: readonly Operation[]): object {
  const app = new OpenAPIHono();
  const { openAPIRegistry: registry } = app;
  registry.registerComponent("securitySchemes", "apiKey", { type: "apiKey", in: "header", name: "X-API-Key" });
  registry.registerComponent("securitySchemes", "bearer", { type: "http", scheme: "bearer" });
  registry.registerComponent("securitySchemes", "session", { type: "apiKey", in: "cookie", name: "turnpike_session" });
  for (const operation of operations) registry.registerPath(describeOperation(operation));
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Turnpike admin interface",
      version: VERSION,
      description:
        "Shows and changes a running gateway. The response to a change comes when every worker uses it; the change is in memory until it is " +
        "persisted. By the session cookie, requests that change something carry X-CSRF-Token. Errors are problem documents (RFC 9457).",
    },
    servers: [{ url: "/" }],
  });
}

function describeOperation(operation: Operation): PathConfig {
  const { name, method, path, summary, description, access, body } = operation;
  const request = describeRequest(operation);
  return {
    method,
    path,
    operationId: name,
    summary,
    ...(description === undefined ? {} : { description }),
    security: access === "anyone" ? [] : SECURITY,
    request: {
      ...request,
      ...(body === undefined
        ? {}
        : {
            body: {
              required: true,
              description: body.description,
              content: Object.fromEntries(body.types.map((type) => [type, { schema: body.schema }])),
            },
          }),
    },
    responses: describeResponses(operation),
  };
}

function textSchema(description: string): z.ZodType {
  return z.string().openapi({ description });
}

const CONDITIONS = {
  "If-Match": "Entity tags; 412 if the configuration has another one",
  "If-None-Match": "Entity tags; if the representation has one of them, 304 for GET and 412 for a change",
};

function optionalTexts(described: Readonly<Record<string, string>>): z.ZodObject {
  const entries = Object.entries(described);
  return z.object(Object.fromEntries(entries.map(([name, text]) => [name, textSchema(text).optional()])));
}

function describeRequest({ parameters, query, conditional }: Operation): NonNullable<PathConfig["request"]> {
  const params = Object.entries(parameters ?? {}).map(
    ([name, description]) => [name, textSchema(description)] as const,
  );
  return {
    ...(params.length === 0 ? {} : { params: z.object(Object.fromEntries(params)) }),
    ...(query === undefined ? {} : { query: optionalTexts(query) }),
    ...(conditional === undefined ? {} : { headers: optionalTexts(CONDITIONS) }),
  };
}

function describeResponses({ success, failures = [], access, body, conditional, method }: Operation): Responses {
  const codes = [
    ...failures,
    ...ALWAYS,
    ...(access === "anyone" ? [] : GUARDED),
    ...(access === "full" ? (["forbidden"] as const) : []),
    ...(body === undefined ? [] : WITH_BODY),
    ...(conditional === undefined ? [] : (["precondition-failed"] as const)),
  ];
  const responses: Responses = { [success.status ?? 200]: describeSuccess(success, conditional === true) };
  if (conditional !== undefined && method === "get") responses[304] = { description: "The client's copy is current" };
  for (const [status, group] of Map.groupBy(new Set(codes), (code) => ERRORS[code].status)) {
    responses[status] = {
      description: group.map((code) => ERRORS[code].title).join("; "),
      content: { [PROBLEM_CONTENT_TYPE]: { schema: problem } },
    };
  }
  return responses;
}

function describeSuccess(
  { description, schema, types = [], headers }: Success,
  isConditional: boolean,
): Exclude<Responses[string], { readonly $ref: string }> {
  const content = Object.fromEntries([
    ...(schema === undefined ? [] : [["application/json", { schema }] as const]),
    ...types.map((type) => [type, { schema: z.string() }] as const),
  ]);
  const fields = Object.entries({ ...(isConditional ? ETAG : {}), ...headers });
  if (fields.length === 0) return { description, content };
  return {
    description,
    content,
    headers: z.object(Object.fromEntries(fields.map(([name, what]) => [name, textSchema(what)]))),
  };
}
