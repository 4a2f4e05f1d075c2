import { describeApi } from "./api-description.ts";

/** The parts of a JSON schema that the description of the API makes use of. */
export interface ApiSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
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

export interface ApiExample {
  readonly value: unknown;
}

export interface ApiContent {
  readonly schema: ApiSchema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, ApiExample>>;
}

export interface ApiResponse {
  readonly description: string;
  readonly content: Readonly<Record<string, ApiContent>>;
}

export interface ApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, ApiContent>> };
  readonly responses: Readonly<Record<string, ApiResponse>>;
  readonly "x-price"?: string;
}

/** The description of the API as its readers see it: documents, the typed client. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<"get" | "post", ApiOperation | undefined>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, ApiSchema>> };
}

/** One operation, with where it is. */
export interface PlacedOperation extends ApiOperation {
  readonly path: string;
  readonly method: "get" | "post";
}

let described: ApiDocument | undefined;

/** The description of the API at an address; only the address differs from one to the other. */
export function apiDocument(baseUrl: string): ApiDocument {
  // The description's own test validates it as OpenAPI; these are the parts of OpenAPI that it has.
  described ??= JSON.parse(JSON.stringify(describeApi("/"))) as ApiDocument;
  return { ...described, servers: [{ url: baseUrl }, { url: "/" }] };
}

/** All operations, in the order of the description. */
export function operationsOf({ paths }: ApiDocument): readonly PlacedOperation[] {
  return Object.entries(paths).flatMap(([path, { get, post }]) => [
    ...(get === undefined ? [] : [{ ...get, path, method: "get" as const }]),
    ...(post === undefined ? [] : [{ ...post, path, method: "post" as const }]),
  ]);
}

/** The schema that a reference names, or the schema itself, with the name. */
export function resolveSchema(
  document: ApiDocument,
  schema: ApiSchema,
): { name: string | undefined; schema: ApiSchema } {
  const name = schema.$ref?.replace("#/components/schemas/", "");
  const found = name === undefined ? undefined : document.components.schemas[name];
  return found === undefined ? { name: undefined, schema } : { name, schema: found };
}
