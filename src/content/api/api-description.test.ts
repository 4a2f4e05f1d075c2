import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "bun:test";
import { ERRORS, type ErrorCode } from "../../lib/errors.ts";
import { apiDocument, jobRequestsOf, operationsOf } from "./api-document.ts";
import { describeApi } from "./api-description.ts";
import { VERSION } from "../../lib/process/version.ts";
import { FREE_REQUESTS, OPERATIONS } from "../operations/operations.ts";

interface Described {
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly responses: Readonly<Record<string, unknown>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: Readonly<Record<string, unknown>>;
}

// The tests below check this shape.
const document = JSON.parse(JSON.stringify(describeApi("https://pay.test"))) as Document;

test("is OpenAPI 3.1.0 of this version, with both servers, and x402 as the header field that carries a payment", () => {
  expect(document).toMatchObject({
    openapi: "3.1.0",
    info: { version: VERSION },
    servers: [{ url: "https://pay.test" }, { url: "/" }],
    components: { securitySchemes: { x402: { type: "apiKey", in: "header", name: "PAYMENT-SIGNATURE" } } },
  });
});

test("is a valid document by the schema of OpenAPI", async () => {
  const validator = new Validator();
  // A validator accepts any object.
  const { valid, errors } = await validator.validate(document as unknown as Record<string, unknown>);
  expect([valid, errors]).toEqual([true, undefined]);
  expect(validator.version).toBe("3.1");
});

test("every error of every operation has an example under its status, with its own type", () => {
  const operations = operationsOf(apiDocument("https://pay.test"));
  expect(operations.map(({ operationId }) => operationId)).toEqual(OPERATIONS.map(({ name }) => name));
  for (const { path, failures, body, price } of OPERATIONS) {
    const described = operations.find((operation) => operation.path === path);
    const codes: ErrorCode[] = [...failures];
    if (body !== undefined) codes.push("bad-request", "body-too-large", "browser-unavailable");
    if (price !== undefined) codes.push("payment-required", "payment-conflict", "settlement-pending");
    for (const code of codes) {
      const { status, title } = ERRORS[code];
      const example = described?.responses[status]?.content["application/problem+json"]?.examples?.[code];
      expect([path, code, example?.value]).toEqual([
        path,
        code,
        expect.objectContaining({ type: `urn:turnpike:error:${code}`, title, status, detail: expect.any(String) }),
      ]);
    }
  }
});

test("the schemas have the names of the interface's tables", () => {
  const { schemas } = apiDocument("/").components;
  const names = [
    "Metadata",
    "Problem",
    ...OPERATIONS.filter(({ success }) => success.schema !== undefined).map(
      ({ name }) =>
        ({ health: "Health", crawl: "StartedJob" })[name] ??
        `${name.replace(/(?:^|_)(.)/g, (_, first: string) => first.toUpperCase())}Response`,
    ),
  ];
  expect(names.filter((name) => schemas[name] === undefined)).toEqual([]);
});

test("every request about a job or a session is described with its parameters, its secret, and an example that its schema accepts", () => {
  const requests = jobRequestsOf(apiDocument("https://pay.test"));
  expect(requests.map(({ operationId }) => operationId).toSorted()).toEqual(
    FREE_REQUESTS.map(({ name }) => name).toSorted(),
  );
  for (const { name: id, method, path, query, failures, success, secret } of FREE_REQUESTS) {
    const found = requests.find(({ operationId }) => operationId === id);
    const { parameters = [], responses, ...described } = found ?? expect.unreachable();
    expect([described.method, described.path]).toEqual([method, path]);
    expect(document.paths[path]?.[method]?.security).toEqual([{ [secret]: [] }]);
    expect(parameters.map(({ name }) => name)).toEqual([
      ...(path.includes("{id}") ? ["id"] : []),
      ...Object.keys(query?.shape ?? {}),
    ]);
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(failures.map((code) => `${ERRORS[code].status}`)));
    expect(success.schema?.safeParse(success.example).success).toBe(true);
  }
  expect(document.components["securitySchemes"]).toMatchObject({
    jobSecret: { in: "header", name: "X-Job-Secret" },
    sessionSecret: { in: "header", name: "X-Session-Secret" },
  });
});

test("every reference has a target", () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((match) => match[1] ?? "");
  expect(references.length).toBeGreaterThan(0);
  for (const reference of references) {
    let at: unknown = document;
    for (const key of reference.split("/")) at = (at as Record<string, unknown>)[key]; // Undefined without a target.
    expect([reference, typeof at]).toEqual([reference, "object"]);
  }
});

test.each(OPERATIONS.map((operation) => [operation.path, operation] as const))(
  "%s is described with its price, its errors and an example that its schema accepts",
  (path, { method, price, body, example, success }) => {
    const described = document.paths[path]?.[method];
    expect(described?.security).toEqual(price === undefined ? [] : [{ x402: [] }]);
    expect(Object.keys(described?.responses ?? {})).toContain(price === undefined ? "503" : "402");
    if (body !== undefined) expect(body.safeParse(example).success).toBe(true);
    if (success.schema !== undefined) expect(success.schema.safeParse(success.example).success).toBe(true);
    if (price !== undefined) expect(price).toMatch(/^\$\d+\.\d+$/);
  },
);

test("bounds, defaults and required fields are in the schemas", () => {
  const { schemas } = document.components as { schemas: Record<string, { required: string[]; properties: unknown }> };
  expect(schemas["ScrapeRequest"]).toMatchObject({
    additionalProperties: false,
    required: ["url"],
    properties: {
      timeout: { type: "integer", minimum: 1, maximum: 120, default: 30 },
      wait: { type: "integer", minimum: 0, maximum: 30 },
      wait_until: { enum: ["load", "domcontentloaded", "networkidle0"], default: "load" },
      format: { enum: ["html", "markdown", "text", "links"], default: "markdown" },
      max_length: { type: "integer", minimum: 1, maximum: 1_000_000 },
      user_agent: { type: "string", maxLength: 512 },
    },
  });
  expect(schemas["QrRequest"]).toMatchObject({
    properties: {
      data: { maxLength: 4296 },
      size: { minimum: 32, maximum: 2048, default: 256 },
      margin: { minimum: 0, maximum: 10, default: 2 },
    },
  });
});
