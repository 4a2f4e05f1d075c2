import { OpenAPIHono, z } from "@hono/zod-openapi";
import { ERRORS, type ErrorCode, PROBLEM_CONTENT_TYPE } from "../lib/errors.ts";
import { type Operation } from "./operations/operation.ts";
import { OPERATIONS } from "./operations/operations.ts";

/** The version of the interface, as its contract has it. */
export const API_VERSION = "0.2.0";

const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string().optional().openapi({ description: "The request's X-Request-Id" }),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .openapi("Problem", { description: "RFC 9457 problem details" });

/** The OpenAPI 3.1 description of all operations; `baseUrl` is the address that the client knows the service by. */
export function describeApi(baseUrl: string): object {
  const app = new OpenAPIHono();
  app.openAPIRegistry.registerComponent("securitySchemes", "x402", {
    type: "http",
    scheme: "bearer",
    description:
      "Pay by the request with x402: a request without payment is answered 402 with a PAYMENT-REQUIRED header; " +
      "repeat it with a signed payment in the PAYMENT-SIGNATURE header. There are no API keys.",
  });
  for (const operation of OPERATIONS) app.openAPIRegistry.registerPath(describeOperation(operation));
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Turnpike web content API",
      version: API_VERSION,
      description: "Web pages as Markdown, text, HTML and links, articles and QR codes, paid by the request.",
    },
    servers: [{ url: baseUrl }, { url: "/" }],
    security: [{ x402: [] }],
  });
}

type PathConfig = Parameters<OpenAPIHono["openAPIRegistry"]["registerPath"]>[0];

function describeOperation(operation: Operation): PathConfig {
  const { success, body, example, price } = operation;
  return {
    method: operation.method,
    path: operation.path,
    operationId: operation.name,
    summary: operation.summary,
    description: operation.description,
    security: price === undefined ? [] : [{ x402: [] }],
    ...(price === undefined ? {} : { "x-price": price }),
    ...(body === undefined
      ? {}
      : { request: { body: { required: true, content: { "application/json": { schema: body, example } } } } }),
    responses: {
      200: {
        description: success.description,
        content: {
          [success.contentType]:
            success.schema === undefined
              ? { schema: { type: "string", contentMediaType: success.contentType } }
              : { schema: success.schema, example: success.example },
        },
      },
      ...describeFailures(price === undefined ? operation.failures : [...operation.failures, "payment-required"]),
    },
  };
}

/** One response a status, with an example of each error that has it. */
function describeFailures(codes: readonly ErrorCode[]): PathConfig["responses"] {
  const responses: PathConfig["responses"] = {};
  for (const [status, group] of Map.groupBy(codes, (code) => ERRORS[code].status)) {
    const examples = group.map((code) => {
      const { title } = ERRORS[code];
      return [code, { value: { type: `urn:turnpike:error:${code}`, title, status, detail: title } }] as const;
    });
    responses[status] = {
      description: group.map((code) => ERRORS[code].title).join("; "),
      content: { [PROBLEM_CONTENT_TYPE]: { schema: problemSchema, examples: Object.fromEntries(examples) } },
    };
  }
  return responses;
}
