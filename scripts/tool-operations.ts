import {
  type ApiDocument,
  type ApiSchema,
  operationsOf,
  type PlacedOperation,
  resolveSchema,
} from "../src/content/api/api-document.ts";

const HEAD = `// Made of the API's description by scripts/generate.ts; changes here are lost.
import { type CallOptions } from "./call.ts";
import { type Turnpike } from "./client.ts";

/** An operation that an agent can call. */
export interface ToolOperation {
  readonly name: string;
  readonly description: string;
  /** The JSON schema of its parameters, without references. */
  readonly parameters: Readonly<Record<string, unknown>> & { readonly type: "object" };
  /** The gateway checks the input. */
  readonly call: (turnpike: Turnpike, input: never, options: CallOptions) => Promise<unknown>;
}

`;

/** Parameters for programs that go on while the agent waits. */
const NOT_FOR_AGENTS = ["async", "webhook"];

/** The operations as tools of agents, as TypeScript that is not formatted yet. */
export function toolOperations(document: ApiDocument): string {
  const shared = new Parameters();
  const tools = operationsOf(document).flatMap((operation) => {
    const schema = operation.requestBody?.content["application/json"]?.schema;
    if (schema === undefined) return [];
    const name = operation.operationId;
    const parameters = parametersOf(document, schema, name);
    shared.count(parameters.properties);
    return [{ name, description: descriptionOf(operation), parameters }];
  });
  const entries = tools.map(({ name, description, parameters: { schema, properties } }) => {
    const parameters = `{ ${JSON.stringify(schema).slice(1, -1)}, properties: ${shared.textOf(properties)} }`;
    const call = `(turnpike, input, options) => turnpike.${name}(input, options)`;
    return `${name}: { name: "${name}", description: ${JSON.stringify(description)}, parameters: ${parameters}, call: ${call} },`;
  });
  return `${HEAD}
/** The name of an operation that an agent can call. */
export type ToolName = ${tools.map(({ name }) => JSON.stringify(name)).join(" | ")};

${shared.text}
/** Every operation with a price. */
export const TOOL_OPERATIONS: Readonly<Record<ToolName, ToolOperation>> = {
${entries.join("\n")}
};
`;
}

/** Describes an operation, without the requests by which a program follows a job. */
function descriptionOf({ operationId, summary, description, responses }: PlacedOperation): string {
  if (responses["202"] !== undefined && responses["200"] === undefined) {
    return `${summary}. Returns the job at once: read its results with job_results, and its state with job_status. It is paid.`;
  }
  const about = operationId === "batch" ? `${summary}.` : `${summary}. ${description}`;
  return `${about} The call is paid; a failed call costs nothing.`;
}

function parametersOf(document: ApiDocument, given: ApiSchema, operation: string) {
  const { properties = {}, ...schema } = resolveSchema(document, given).schema;
  const kept = Object.entries(properties).filter(
    ([name]) => !NOT_FOR_AGENTS.includes(name) && !(operation === "batch" && name === "max_price"),
  );
  return { schema: plain(document, schema), properties: plainProperties(document, Object.fromEntries(kept)) };
}

/** Parameters as text. Those that several operations share are the members of the constant `SHARED`. */
class Parameters {
  readonly #uses = new Map<string, number>();
  /** Those of all operations that load pages, which are the members of the constant `PAGE`. */
  #ofPages: ReadonlySet<string> | undefined;

  count(properties: object): void {
    const texts = new Set(Object.entries(properties).map(([name, schema]) => JSON.stringify({ [name]: schema })));
    for (const text of texts) this.#uses.set(text, (this.#uses.get(text) ?? 0) + 1);
    if ("wait_until" in properties) this.#ofPages = this.#ofPages?.intersection(texts) ?? texts;
  }

  /** The shared ones, each under a name of its own. */
  get shared(): ReadonlyMap<string, string> {
    const names = new Set<string>();
    const found = [...this.#uses].filter(([, uses]) => uses > 1);
    return new Map(
      found.map(([text]) => {
        const [name = ""] = Object.keys(JSON.parse(text) as object);
        const own = names.has(name) ? `${name}_${names.size}` : name;
        names.add(own);
        return [text, own];
      }),
    );
  }

  textOf(properties: object): string {
    const isOfPages = "wait_until" in properties;
    const members = Object.entries(properties).flatMap(([name, schema]) => {
      const text = JSON.stringify({ [name]: schema });
      if (isOfPages && this.#ofPages?.has(text) === true) return [];
      const own = this.shared.get(text);
      return `${name}: ${own === undefined ? JSON.stringify(schema) : `SHARED.${own}`}`;
    });
    return `{ ${[...members, ...(isOfPages ? ["...PAGE"] : [])].join(", ")} }`;
  }

  get text(): string {
    const ofPages = [...(this.#ofPages ?? [])].map((text) => `${text.slice(1, -1)},`);
    const others = [...this.shared]
      .filter(([text]) => this.#ofPages?.has(text) !== true)
      .map(([text, own]) => `${own}: ${JSON.stringify(Object.values(JSON.parse(text) as object)[0])},`);
    return (
      `/** Parameters of all operations that load pages. */\nconst PAGE = {\n${ofPages.join("\n")}\n};\n\n` +
      `/** Parameters of several operations. */\nconst SHARED = {\n${others.join("\n")}\n};\n`
    );
  }
}

function plainProperties(document: ApiDocument, properties: Readonly<Record<string, ApiSchema>>): object {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, plain(document, schema)]));
}

/** A schema without references and examples. */
function plain(document: ApiDocument, given: ApiSchema): object {
  const { example: _, format, ...schema }: ApiSchema & { example?: unknown } = resolveSchema(document, given).schema;
  const { items, anyOf, properties, additionalProperties: values } = schema;
  return {
    ...schema,
    // A validator need not know the formats of this API.
    ...(format === undefined || format === "url" ? {} : { format }),
    ...(items === undefined ? {} : { items: plain(document, items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map((one) => plain(document, one)) }),
    ...(properties === undefined ? {} : { properties: plainProperties(document, properties) }),
    ...(typeof values === "object" ? { additionalProperties: plain(document, values) } : {}),
  };
}
