import { OpenAPIHono } from "@hono/zod-openapi";
import { array, int, object, string, unknown, ZodObject } from "../../lib/schema.ts";
import { ERRORS, type ErrorCode, PROBLEM_CONTENT_TYPE } from "../../lib/errors.ts";
import { VERSION } from "../../lib/process/version.ts";
import { errorExample } from "./error-examples.ts";
import { type JobOperation } from "../operations/job-requests.ts";
import { type Operation } from "../operations/operation.ts";
import { FREE_REQUESTS, OPERATIONS } from "../operations/operations.ts";
import { isServed, type PriceList } from "./price-list.ts";

const problemSchema = object({
  type: string(),
  title: string(),
  status: int(),
  detail: string(),
  instance: string().optional().describe("The request's X-Request-Id"),
  errors: array(object({ path: string(), message: string() })).optional(),
  page_status: int().optional().describe("The HTTP status of the page's server"),
}).openapi("Problem", { description: "RFC 9457 problem details" });

/**
 * The OpenAPI 3.1 description of the operations that the gateway serves. `baseUrl` is the URL at which the client reaches
 * the service. Without `prices` the description has all operations, and states no prices.
 */
export function describeApi(baseUrl: string, prices?: PriceList): object {
  const app = new OpenAPIHono();
  app.openAPIRegistry.registerComponent("securitySchemes", "x402", {
    type: "apiKey",
    in: "header",
    name: "PAYMENT-SIGNATURE",
    description:
      "Pay by the request with x402: a request without payment gets 402 with a PAYMENT-REQUIRED header; " +
      "repeat it with a signed payment in the PAYMENT-SIGNATURE header. There are no API keys.",
  });
  if (prices !== undefined && Object.keys(prices.offers).length > 0) {
    app.openAPIRegistry.registerComponent("securitySchemes", "payment", {
      type: "http",
      scheme: "Payment",
      description: "Pay for a challenge in WWW-Authenticate of a 402 (paymentauth.org), in place of x402.",
    });
  }
  app.openAPIRegistry.registerComponent("securitySchemes", "jobSecret", {
    type: "apiKey",
    in: "header",
    name: "X-Job-Secret",
    description: "The secret that the response to the request that started the job contains.",
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "sessionSecret", {
    type: "apiKey",
    in: "header",
    name: "X-Session-Secret",
    description: "The secret that the response to POST /sessions contains.",
  });
  app.openAPIRegistry.registerComponent("securitySchemes", "browserToken", {
    type: "apiKey",
    in: "header",
    name: "X-Browser-Token",
    description: "The token that the response to POST /browsers contains.",
  });
  const served = ({ path }: { readonly path: string }) => isServed(path, prices);
  for (const operation of OPERATIONS.filter(served)) {
    app.openAPIRegistry.registerPath(describeOperation(operation, prices));
  }
  for (const operation of FREE_REQUESTS.filter(served)) {
    app.openAPIRegistry.registerPath(describeJobOperation(operation));
  }
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Turnpike web content API",
      version: VERSION,
      description:
        "Web pages as Markdown, text, HTML, links, articles, data, PDF and pictures, web search and QR codes, paid by " +
        "the request. Errors are problem documents (RFC 9457) and cost nothing, unless the operator charges for pages that " +
        "use up their own time: such an error has a receipt in PAYMENT-RESPONSE.",
    },
    servers: [{ url: baseUrl }, { url: "/" }],
    security: [{ x402: [] }],
  });
}

type PathConfig = Parameters<OpenAPIHono["openAPIRegistry"]["registerPath"]>[0];
type Responses = PathConfig["responses"];
type Response = Exclude<Responses[string], { readonly $ref: string }>;

/** Errors of all requests with a body; the last one while the service starts. */
const BODY_FAILURES = ["bad-request", "body-too-large", "internal", "browser-unavailable"] as const;
/** Errors of all paid requests, which the gateway sends. */
const PAYMENT_FAILURES = [
  "unsupported-media-type",
  "invalid-payment",
  "payment-required",
  "payment-conflict",
  "facilitator-failed",
  "facilitator-unavailable",
  "settlement-pending",
] as const;

function fields(descriptions: Readonly<Record<string, string>>): ZodObject {
  const described = Object.entries(descriptions).map(([name, description]) => [
    name,
    string().optional().openapi({ description }),
  ]);
  return object(Object.fromEntries(described));
}

const RECEIPT = { "PAYMENT-RESPONSE": "The receipt of the payment, as base64 of JSON" };

const HEADERS: Readonly<Record<number, ZodObject>> = {
  402: fields({ "PAYMENT-REQUIRED": "Price, payment methods and payee: an x402 challenge as base64 of JSON" }),
  503: fields({ "Retry-After": "Seconds to wait before another try" }),
};

function describeOperation(operation: Operation, prices: PriceList | undefined): PathConfig {
  const { success, started, body, example, path } = operation;
  const price = prices?.prices[path];
  // If the prices are not known, an operation may cost something, unless it is always free.
  const isSold = prices === undefined ? operation.price !== undefined : price !== undefined;
  return {
    method: operation.method,
    path: operation.path,
    operationId: operation.name,
    summary: operation.summary,
    description: operation.description,
    security: isSold ? [{ x402: [] }, ...(prices?.offers[path] === undefined ? [] : [{ payment: [] }])] : [],
    ...(price === undefined ? {} : { "x-price": price }),
    ...(prices?.rules[path] === undefined ? {} : { "x-price-rules": prices.rules[path] }),
    ...(prices?.offers[path] === undefined ? {} : { "x-payment-info": { offers: prices.offers[path] } }),
    ...(body === undefined
      ? {}
      : {
          request: {
            body: {
              required: true,
              content: { "application/json": { schema: body, example }, ...uploadForms(operation) },
            },
          },
        }),
    responses: {
      [success.status ?? 200]: {
        description: success.description,
        ...(isSold ? { headers: fields({ ...RECEIPT, ...success.headers }) } : {}),
        content: describeContent(operation),
      },
      ...(started && { 202: { description: started.description, content: describeContent({ success: started }) } }),
      ...describeFailures(
        [...operation.failures, ...(body === undefined ? [] : BODY_FAILURES), ...(isSold ? PAYMENT_FAILURES : [])],
        price,
      ),
    },
  };
}

/** The other forms of a body with a file. */
function uploadForms({ isUpload, body }: Operation): Record<string, { schema: object }> {
  if (isUpload !== true || !(body instanceof ZodObject)) return {};
  const file = { type: "string", format: "binary", description: "The file" } as const;
  const form = body.extend({ file: unknown().openapi(file) });
  return { "multipart/form-data": { schema: form }, "application/octet-stream": { schema: file } };
}

/** A request about a job. It is free. */
function describeJobOperation({ name, failures, query, success, secret, ...operation }: JobOperation): PathConfig {
  return {
    method: operation.method,
    path: operation.path,
    operationId: name,
    summary: operation.summary,
    description: operation.description,
    security: [{ [secret]: [] }],
    request: {
      ...(operation.path.includes("{") ? { params: ABOUT_PARAMETERS } : {}),
      ...(query === undefined ? {} : { query }),
    },
    responses: {
      200: { description: success.description, content: describeContent({ success }) },
      ...describeFailures([...failures, "internal"], undefined),
    },
  };
}

const ABOUT_PARAMETERS = object({
  id: string().describe("Name of the job, the session or the browser"),
});

function describeContent({ success }: Pick<Operation, "success">): NonNullable<Response["content"]> {
  const { schema, example, contentType = "application/json" } = success;
  const types = [...(schema === undefined ? [contentType] : []), ...(success.otherTypes ?? [])];
  const texts = types.map((type) => [type, { schema: { type: "string", contentMediaType: type } }]);
  return { ...(schema === undefined ? {} : { [contentType]: { schema, example } }), ...Object.fromEntries(texts) };
}

/** One response for each status, with an example of each error that has it. */
function describeFailures(codes: readonly ErrorCode[], price: string | undefined): Responses {
  const responses: Responses = {};
  for (const [status, group] of Map.groupBy(new Set(codes), (code) => ERRORS[code].status)) {
    const examples = Object.fromEntries(group.map((code) => [code, { value: errorExample(code, price) }]));
    const headers = HEADERS[status];
    responses[status] = {
      description: group.map((code) => ERRORS[code].title).join("; "),
      ...(headers === undefined ? {} : { headers }),
      content: { [PROBLEM_CONTENT_TYPE]: { schema: problemSchema, examples } },
    };
  }
  return responses;
}
