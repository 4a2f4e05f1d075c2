import {
  type ApiDocument,
  type ApiSchema,
  operationsOf,
  type PlacedOperation,
  resolveSchema,
  successOf,
} from "../src/content/api/api-document.ts";
import { type AboutRequest, aboutRequestsOf } from "./about-requests.ts";
import { toolOperations } from "./tool-operations.ts";

const HEAD = `// Made of the API's description by scripts/generate.ts; changes here are lost.
import { type CallOptions, type OperationTarget, type TurnpikeFile } from "./call.ts";
`;

/** Interfaces with fewer members are alike by chance, and others do not extend them. */
const SMALLEST_BASE = 3;
/** Members that several bodies share: all bodies with the member `of`. The broader set comes first. */
const PARTS = [
  { name: "PageOptions", of: "wait_until", comment: "How a page is loaded: part of each request for pages" },
  { name: "ContentOptions", of: "formats", comment: "What is read of a page: part of requests with `formats`" },
  { name: "SessionOptions", of: "session", comment: "How a page is loaded in a session: part of requests for one" },
  { name: "PictureOptions", of: "full_page", comment: "How a picture is taken: part of requests, formats and steps" },
  { name: "FieldPlaces", of: "drift", comment: "Where fields stand in a page: part of bodies with fields" },
];

/** The members of an interface, each as TypeScript, by name. */
type Members = ReadonlyMap<string, string>;

/** The typed client's requests, responses and methods, as TypeScript that is not formatted yet. */
export function clientTypes(document: ApiDocument): string {
  const operations = operationsOf(document);
  const summaries = new Map(operations.flatMap((operation) => bodySummaries(operation)));
  const members = membersOf(document);
  const parts = PARTS.map(({ name, comment: text }) => interfaceOf(members, name, text));
  const types = Object.entries(document.components.schemas).map(([name, { description }]) =>
    interfaceOf(members, name, description ?? summaries.get(name)),
  );
  // The client itself has the methods that start jobs.
  const methods = operations.filter((operation) => bodyNames(operation).response !== "StartedJob").map(methodOf);
  methods.push(...aboutRequestsOf(document).map(aboutMethodOf));
  const tools = Object.keys(toolOperations()).map((name) => JSON.stringify(name));
  return `${HEAD}
${[...parts, ...types].join("\n")}
/** The name of an operation that an agent can call. */
export type ToolName = ${tools.join(" | ")};

/** One method for each operation, and for each request about a session or a browser. */
export abstract class Operations {
${methods.join("\n")}
  protected abstract json<T>(target: OperationTarget, body: unknown, options?: CallOptions): Promise<T>;
  protected abstract file(target: OperationTarget, body: unknown, options?: CallOptions): Promise<TurnpikeFile>;
}
`;
}

/** The members of all interfaces, by the name of the interface. */
function membersOf(document: ApiDocument): ReadonlyMap<string, Members> {
  const schemas = Object.entries(document.components.schemas).map(([name, schema]): [string, Members] => {
    if (schema.properties === undefined) throw new Error(`Cannot write the interface ${name}: it has no properties`);
    return [name, new Map(fieldsOf(document, schema))];
  });
  const parts = PARTS.map(({ name, of }): [string, Members] => {
    const users = schemas.map(([, members]) => members).filter((members) => members.has(of));
    const [first = new Map<string, string>(), ...others] = users;
    return [name, new Map([...first].filter((member) => others.every((other) => has(other, member))))];
  });
  return new Map([...parts, ...schemas]);
}

/** An interface without the members of the interfaces that it extends. */
function interfaceOf(all: ReadonlyMap<string, Members>, name: string, description: string | undefined): string {
  let own: Members = all.get(name) ?? new Map<string, string>();
  const bases: string[] = [];
  for (const [base, members] of [...all].toSorted(([, a], [, b]) => b.size - a.size)) {
    if (members.size < SMALLEST_BASE || members.size >= own.size) continue;
    if (![...members].every((member) => has(own, member))) continue;
    own = new Map([...own].filter(([member]) => !members.has(member)));
    bases.push(base);
  }
  const heading = bases.length === 0 ? name : `${name} extends ${bases.join(", ")}`;
  return `${comment(description)}export interface ${heading} ${block([...own.values()])}\n`;
}

function has(members: Members, [name, text]: readonly [string, string]): boolean {
  return members.get(name) === text;
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

/** The properties of a schema, each as a member of an interface, by name. */
function fieldsOf(document: ApiDocument, schema: ApiSchema): readonly (readonly [string, string])[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const type = typeOf(document, field);
    const value = required.has(name) ? `: ${type}` : `?: ${type === "unknown" ? type : `${type} | undefined`}`;
    return [name, `${comment(describe(field))}readonly ${name}${value};`] as const;
  });
}

function block(members: readonly string[]): string {
  return `{\n${members.join("\n")}\n}`;
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
  if (schema.properties !== undefined) return block(fieldsOf(document, schema).map(([, text]) => text));
  const values = schema.additionalProperties;
  return `Readonly<Record<string, ${typeof values === "object" ? typeOf(document, values) : "unknown"}>>`;
}

function comment(text: string | undefined): string {
  return text === undefined ? "" : `/** ${text.replaceAll("*/", "*\\/")} */\n`;
}
