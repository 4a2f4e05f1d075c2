import {
  type ApiDocument,
  type ApiSchema,
  operationsOf,
  type PlacedOperation,
  resolveSchema,
  successOf,
} from "../src/content/api/api-document.ts";
import { type AboutRequest, aboutRequestsOf } from "./about-requests.ts";

const HEAD = `// Made of the API's description by scripts/generate.ts; changes here are lost.
import { type CallOptions, type OperationTarget, type TurnpikeFile } from "./call.ts";
`;

/** The typed client's requests, responses and methods, as TypeScript that is not formatted yet. */
export function clientTypes(document: ApiDocument): string {
  const operations = operationsOf(document);
  const summaries = new Map(operations.flatMap((operation) => bodySummaries(operation)));
  const options = pageOptions(document);
  const types = Object.entries(document.components.schemas).map(([name, schema]) => {
    if (schema.properties === undefined) throw new Error(`Cannot write the interface ${name}: it has no properties`);
    const description = comment(schema.description ?? summaries.get(name));
    if (!isPageRequest(schema)) return `${description}export interface ${name} ${fieldsOf(document, schema)}\n`;
    const own = Object.entries(schema.properties ?? {}).filter(([field]) => !(field in options));
    const fields = fieldsOf(document, { ...schema, properties: Object.fromEntries(own) });
    return `${description}export interface ${name} extends PageOptions ${fields}\n`;
  });
  // The client itself has the methods that start jobs.
  const methods = operations.filter((operation) => bodyNames(operation).response !== "StartedJob").map(methodOf);
  methods.push(...aboutRequestsOf(document).map(aboutMethodOf));
  return `${HEAD}
/** How a page is loaded: part of each request for pages */
export interface PageOptions ${fieldsOf(document, { properties: options })}

${types.join("\n")}
/** One method for each operation, and for each request about a session or a browser. */
export abstract class Operations {
${methods.join("\n")}
  protected abstract json<T>(target: OperationTarget, body: unknown, options?: CallOptions): Promise<T>;
  protected abstract file(target: OperationTarget, body: unknown, options?: CallOptions): Promise<TurnpikeFile>;
}
`;
}

function isPageRequest({ properties }: ApiSchema): boolean {
  return properties?.["wait_until"] !== undefined;
}

/** The properties that all requests for pages have. */
function pageOptions({ components }: ApiDocument): Readonly<Record<string, ApiSchema>> {
  const [first, ...others] = Object.values(components.schemas)
    .filter(isPageRequest)
    .map(({ properties }) => properties ?? {});
  return Object.fromEntries(
    Object.entries(first ?? {}).filter(([name]) => others.every((properties) => name in properties)),
  );
}

/** The names of the schemas of an operation's JSON bodies. */
function bodyNames(operation: PlacedOperation): Record<"request" | "response", string | undefined> {
  return {
    request: operation.requestBody?.content["application/json"]?.schema.$ref?.split("/").at(-1),
    response: successOf(operation)?.content["application/json"]?.schema.$ref?.split("/").at(-1),
  };
}

/** A description of each of an operation's JSON bodies, by the name of its schema. */
function bodySummaries(operation: PlacedOperation): (readonly [string, string])[] {
  return Object.entries(bodyNames(operation)).flatMap(([kind, name]) =>
    name === undefined ? [] : [[name, `The ${kind} body of \`${operation.operationId}\``] as const],
  );
}

function methodOf(operation: PlacedOperation): string {
  const { operationId, method, path, summary } = operation;
  const { request, response } = bodyNames(operation);
  const parameters = `${request === undefined ? "" : `request: ${request}, `}options?: CallOptions`;
  const target = `{ method: "${method.toUpperCase()}", path: "${path}" }`;
  const given = request === undefined ? "undefined" : "request";
  return `${comment(`${summary}.`)}  ${operationId}(${parameters}): Promise<${response ?? "TurnpikeFile"}> {
    return this.${response === undefined ? "file" : "json"}(${target}, ${given}, options);
  }`;
}

function aboutMethodOf({ operationId, method, path, summary, secret, field, response }: AboutRequest): string {
  const isOne = path.includes("{id}");
  const members = [...(isOne ? ["id"] : []), secret];
  const about = `about: { ${members.map((name) => `readonly ${name}: string`).join("; ")} }`;
  const place = isOne ? `\`${path.replace("{id}", "${encodeURIComponent(about.id)}")}\`` : `"${path}"`;
  const target = `{ method: "${method.toUpperCase()}", path: ${place}, secret: ["${field}", about.${secret}] }`;
  return `${comment(`${summary}. It is free.`)}  ${operationId}(${about}, options?: CallOptions): Promise<${response}> {
    return this.json(${target}, undefined, options);
  }`;
}

function fieldsOf(document: ApiDocument, schema: ApiSchema): string {
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const type = typeOf(document, field);
    const value = required.has(name) ? `: ${type}` : `?: ${type === "unknown" ? type : `${type} | undefined`}`;
    return `${comment(describe(field))}readonly ${name}${value};`;
  });
  return `{\n${fields.join("\n")}\n}`;
}

function describe({ description, default: value }: ApiSchema): string | undefined {
  if (value === undefined) return description;
  return [...(description === undefined ? [] : [description]), `default ${JSON.stringify(value)}`].join("; ");
}

function typeOf(document: ApiDocument, schema: ApiSchema): string {
  const { name, schema: found } = resolveSchema(document, schema);
  if (name !== undefined) return name;
  if (found.enum !== undefined) return found.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (found.anyOf !== undefined) return found.anyOf.map((one) => typeOf(document, one)).join(" | ");
  const types = [found.type ?? "unknown"].flat().map((type) => plainType(document, found, type));
  return types.join(" | ");
}

function plainType(document: ApiDocument, schema: ApiSchema, type: string): string {
  if (type === "integer") return "number";
  if (type === "array")
    return `readonly (${schema.items === undefined ? "unknown" : typeOf(document, schema.items)})[]`;
  if (type !== "object") return type;
  if (schema.properties !== undefined) return fieldsOf(document, schema);
  const values = schema.additionalProperties;
  return `Readonly<Record<string, ${typeof values === "object" ? typeOf(document, values) : "unknown"}>>`;
}

function comment(text: string | undefined): string {
  return text === undefined ? "" : `/** ${text.replaceAll("*/", "*\\/")} */\n`;
}
