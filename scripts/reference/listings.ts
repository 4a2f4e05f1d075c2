import { type ApiDocument, type ApiSchema, apiDocument, resolveSchema } from "../../src/content/api/api-document.ts";
import { type Operation } from "../../src/content/operations/operation.ts";
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
}

/** The listing of each paid operation, by its path. */
export function listings(): Readonly<Record<string, Listing>> {
  const document = apiDocument("/");
  const sold = OPERATIONS.filter(({ price, body }) => price !== undefined && body !== undefined);
  return Object.fromEntries(
    sold.map((operation) => [
      operation.path,
      { description: operation.summary, bazaar: bazaarOf(document, operation) },
    ]),
  );
}

function bazaarOf(document: ApiDocument, { name, path, example, success }: Operation): Bazaar {
  const content = document.paths[path]?.post?.requestBody?.content["application/json"];
  if (content === undefined) throw new Error(`Cannot list the operation "${name}": it is not described`);
  const isJson = success.contentType === "application/json";
  return {
    info: {
      input: { type: "http", method: "POST", bodyType: "json", body: example ?? {} },
      output: isJson
        ? { type: "json", example: success.example }
        : { type: "file", format: [success.contentType, ...(success.otherTypes ?? [])].join(", ") },
    },
    schema: infoSchema(bare(resolveSchema(document, content.schema).schema)),
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

/** Keywords that a challenge leaves out, because it is sent in a header field. `/openapi.json` has them. */
const LEFT_OUT = new Set("default description example format maxItems maxLength minItems minLength pattern".split(" "));

/** The schema without keywords that are not needed to make a request. */
function bare(schema: ApiSchema): object {
  const { properties, items, additionalProperties } = schema;
  const kept = Object.entries(schema).filter(([key]) => !LEFT_OUT.has(key));
  return {
    ...Object.fromEntries(kept),
    ...(items === undefined ? {} : { items: bare(items) }),
    ...(typeof additionalProperties === "object" ? { additionalProperties: bare(additionalProperties) } : {}),
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, bare(value)])) }),
  };
}
