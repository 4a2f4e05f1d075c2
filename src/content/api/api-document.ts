import { describeApi } from "./api-description.ts";
import { type PriceList } from "./price-list.ts";
import { isObject } from "../../lib/is-object.ts";
import { NewestMap } from "../../lib/memory/newest-map.ts";

/** The parts of a JSON schema that the API's description uses. */
export interface ApiSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: ApiSchema;
  readonly anyOf?: readonly ApiSchema[];
  readonly properties?: Readonly<Record<string, ApiSchema>>;
  readonly additionalProperties?: ApiSchema | boolean;
  readonly required?: readonly string[];
}

/** An example of a body: an Example Object of OpenAPI. */
export interface ApiExample {
  readonly value: unknown;
}

/** The schema and the examples of a body: a Media Type Object of OpenAPI. */
export interface ApiContent {
  readonly schema: ApiSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, ApiExample>>;
}

/** A Response Object of OpenAPI. `content` is by media type. */
export interface ApiResponse {
  readonly description: string;
  readonly content: Readonly<Record<string, ApiContent>>;
}

/** A Parameter Object of OpenAPI. */
export interface ApiParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly schema: ApiSchema;
}

/** An Operation Object of OpenAPI. Responses are by status code; `x-price` is the price as text. */
export interface ApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly ApiParameter[];
  /** The names of the accepted credentials. */
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly requestBody?: { readonly content: Readonly<Record<string, ApiContent>> };
  readonly responses: Readonly<Record<string, ApiResponse>>;
  readonly "x-price"?: string;
}

/** The API's description as its readers use it: the documentation and the typed client. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<ApiMethod, ApiOperation | undefined>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, ApiSchema>> };
}

type ApiMethod = "get" | "post" | "delete";

export interface PlacedOperation extends ApiOperation {
  readonly path: string;
  readonly method: ApiMethod;
}

/** Cached descriptions, one for each price list. A gateway has few price lists. */
const MAX_KEPT = 16;
const described = new NewestMap<string, ApiDocument>(MAX_KEPT);

/** The API's description at a base URL, with the given prices. Without `prices` it states no prices. */
export function apiDocument(baseUrl: string, prices?: PriceList): ApiDocument {
  const key = JSON.stringify([prices?.prices, prices?.rules, prices?.unserved]);
  let document = described.get(key);
  if (document === undefined) {
    // The description's own test validates it as OpenAPI. The type has the parts of OpenAPI that the description uses.
    document = JSON.parse(JSON.stringify(describeApi("/", prices)), inOneForm) as ApiDocument;
    described.set(key, document);
  }
  return { ...document, servers: [{ url: baseUrl }, { url: "/" }] };
}

/** Readers know choices as `anyOf`. */
function inOneForm(_key: string, value: unknown): unknown {
  if (!isObject(value) || !Array.isArray(value["oneOf"])) return value;
  const { oneOf: anyOf, discriminator: _discriminator, ...others } = value;
  return { ...others, anyOf };
}

/** The price of an operation as text for people; undefined if it is not known. */
export function priceOf(operation: ApiOperation, prices: PriceList | undefined): string | undefined {
  return operation["x-price"] ?? (prices === undefined ? undefined : "free");
}

/** All operations, in the order of the description, without the requests about their jobs and sessions. */
export function operationsOf(document: ApiDocument): readonly PlacedOperation[] {
  return placed(document).filter((operation) => !isAbout(operation));
}

/** The requests about jobs and sessions, in the order of the description. */
export function jobRequestsOf(document: ApiDocument): readonly PlacedOperation[] {
  return placed(document).filter(isAbout);
}

/** The secrets that responses contain. */
const ABOUT = ["browserToken", "jobSecret", "sessionSecret"];

/** True for a request that needs a secret of a response before it. */
function isAbout({ security = [] }: ApiOperation): boolean {
  return security.some((one) => ABOUT.some((name) => name in one));
}

function placed({ paths }: ApiDocument): readonly PlacedOperation[] {
  const methods = ["get", "post", "delete"] as const;
  return Object.entries(paths).flatMap(([path, operations]) =>
    methods.flatMap((method) => {
      const operation = operations[method];
      return operation === undefined ? [] : [{ ...operation, path, method }];
    }),
  );
}

/** The successful response of an operation. */
export function successOf({ responses }: ApiOperation): ApiResponse | undefined {
  return Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1];
}

/** The schema that a reference names, or the schema itself, with its name. */
export function resolveSchema(
  document: ApiDocument,
  schema: ApiSchema,
): { name: string | undefined; schema: ApiSchema } {
  const name = schema.$ref?.replace("#/components/schemas/", "");
  const found = name === undefined ? undefined : document.components.schemas[name];
  return found === undefined ? { name: undefined, schema } : { name, schema: found };
}

/** The schema with all references replaced by their schemas, for a reader that has no document beside it. */
export function withoutReferences(document: ApiDocument, given: ApiSchema): ApiSchema {
  const { schema } = resolveSchema(document, given);
  const { properties, items, anyOf } = schema;
  return {
    ...schema,
    ...(items === undefined ? {} : { items: withoutReferences(document, items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((one) => withoutReferences(document, one)) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, value]) => [name, withoutReferences(document, value)]),
          ),
        }),
  };
}
