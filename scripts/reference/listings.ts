import {
  type ApiDocument,
  type ApiSchema,
  apiDocument,
  withoutReferences,
} from "../../src/content/api/api-document.ts";
import { requestParameters } from "../../src/content/operations/request-parameters.ts";
import { type Operation } from "../../src/content/operations/operation.ts";
import { actionParameters } from "../../src/content/operations/action-parameters.ts";
import { OPERATIONS } from "../../src/content/operations/operations.ts";

/** x402's `bazaar` extension: tells catalogues and agents how to call a paid route. */
export interface Bazaar {
  readonly info: {
    readonly input: {
      readonly type: "http";
      readonly method: "POST";
      readonly bodyType: "json";
      readonly body: unknown;
    };
    readonly output: { readonly type: "json" | "file"; readonly format?: string; readonly example?: unknown };
  };
  /** JSON Schema 2020-12 of `info`. */
  readonly schema: object;
}

/** The description of an operation in the challenge of its route. */
export interface Listing {
  readonly description: string;
  readonly bazaar: Bazaar;
  /** The schema of the body by which the gateway checks requests. */
  readonly body: object;
}

/** Tells the buyer of a job in the challenge what each payment pays for. */
const OF_JOBS = "exact pays for the whole limit, upto and prepaid credit for the delivered pages";

/** The listing of each paid operation, by its path. */
export function listings(): Readonly<Record<string, Listing>> {
  const document = apiDocument("/");
  const sold = OPERATIONS.filter(({ price, body }) => price !== undefined && body !== undefined);
  return Object.fromEntries(
    sold.map((operation) => {
      const body = bodySchema(document, operation);
      const { path, summary, success, rules = [] } = operation;
      const description = success.status === 202 ? `${summary}: ${OF_JOBS}` : summary;
      return [path, { description, bazaar: bazaarOf(operation, body), body: withRules(without(body, UNREAD), rules) }];
    }),
  );
}

/** The schema with the rules between its fields. They include its choice of required ones. */
function withRules(schema: ApiSchema, rules: NonNullable<Operation["rules"]>): object {
  if (rules.length === 0) return schema;
  const { anyOf: _choice, ...shape } = schema;
  return { ...shape, allOf: rules };
}

function bodySchema(document: ApiDocument, { name, path }: Operation): ApiSchema {
  const content = document.paths[path]?.post?.requestBody?.content["application/json"];
  if (content === undefined) throw new Error(`Cannot list the operation "${name}": it is not described`);
  return withoutReferences(document, content.schema);
}

function bazaarOf({ example, success }: Operation, body: ApiSchema): Bazaar {
  const { contentType } = success;
  return {
    info: {
      input: { type: "http", method: "POST", bodyType: "json", body: example ?? {} },
      output:
        contentType === undefined
          ? { type: "json", example: success.example }
          : { type: "file", format: [contentType, ...(success.otherTypes ?? [])].join(", ") },
    },
    schema: infoSchema(shortened(body)),
  };
}

function infoSchema(body: object): object {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      input: {
        type: "object",
        properties: { type: { const: "http" }, method: { enum: ["POST"] }, bodyType: { enum: ["json"] }, body },
        required: ["type", "method", "bodyType", "body"],
        additionalProperties: false,
      },
      output: { type: "object", properties: { type: { type: "string" } }, required: ["type"] },
    },
    required: ["input"],
  };
}

/** Keywords that say nothing to a program that checks bodies. */
const UNREAD: ReadonlySet<string> = new Set(["description", "example"]);
/** The body in a challenge: its properties by type and choices. Those that own requests and steps have are left out. */
function shortened(body: ApiSchema): object {
  const { properties = {}, required = [], anyOf = [] } = body;
  const isChoice = anyOf.length > 0 && anyOf.every((one) => Object.keys(one).join() === "required");
  const told = Object.entries(properties).filter(([name]) => !DETAILS.has(name));
  const isStrict = told.length === Object.keys(properties).length;
  return {
    type: "object",
    properties: Object.fromEntries(told.map(([name, value]) => [name, typeOf(value)])),
    ...(required.length === 0 ? {} : { required }),
    ...(isChoice ? { anyOf } : {}),
    ...(isStrict ? { additionalProperties: false } : {}),
  };
}

/** Parameters that a challenge leaves out. `/openapi.json` has them. */
const DETAILS: ReadonlySet<string> = new Set([...Object.keys(requestParameters), ...Object.keys(actionParameters)]);

function typeOf({ type, enum: choices, items }: ApiSchema): object {
  return {
    ...(type === undefined ? {} : { type }),
    ...(choices === undefined ? {} : { enum: choices }),
    ...(items?.type === undefined ? {} : { items: typeOf(items) }),
  };
}

function without(schema: ApiSchema, keywords: ReadonlySet<string>): object {
  const { properties, items, additionalProperties, anyOf } = schema;
  const inner = (value: ApiSchema): object => without(value, keywords);
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([key]) => !keywords.has(key))),
    ...(items === undefined ? {} : { items: inner(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(inner) }),
    ...(typeof additionalProperties === "object" ? { additionalProperties: inner(additionalProperties) } : {}),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, inner(value)])) }),
  };
}
