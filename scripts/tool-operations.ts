import {
  type ApiDocument,
  type ApiSchema,
  operationsOf,
  type PlacedOperation,
  resolveSchema,
} from "../src/content/api/api-document.ts";

const HEAD = `// Made of the API's description by scripts/generate.ts; changes here are lost.
/** An operation that an agent can call. */
export interface ToolOperation {
  readonly description: string;
  /** The JSON schema of its parameters, without references. */
  readonly parameters: Readonly<Record<string, unknown>> & { readonly type: "object" };
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
    return `${name}: { description: ${JSON.stringify(description)}, parameters: ${parameters} },`;
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

/** Constants for the parameters that all operations with the parameter `of` share. A member of one is in none after it. */
const PARTS = [
  { name: "PAGE", of: "wait_until", comment: "Parameters of all operations that load pages." },
  { name: "CONTENT", of: "formats", comment: "Parameters of all operations with formats." },
  { name: "SEARCH", of: "query", comment: "Parameters of all operations that search." },
];

/** Parameters as text. Those that several operations share are members of the constants of `PARTS` and of `SHARED`. */
class Parameters {
  readonly #uses = new Map<string, number>();
  readonly #parts = new Map<string, ReadonlySet<string>>();

  count(properties: object): void {
    const texts = new Set(Object.entries(properties).map(textOfOne));
    for (const text of texts) this.#uses.set(text, (this.#uses.get(text) ?? 0) + 1);
    for (const { name, of } of PARTS) {
      if (of in properties) this.#parts.set(name, this.#parts.get(name)?.intersection(texts) ?? texts);
    }
  }

  /** The members of each part. */
  #partMembers(): ReadonlyMap<string, ReadonlySet<string>> {
    const taken = new Set<string>();
    return new Map(
      PARTS.map(({ name }) => {
        const own = (this.#parts.get(name) ?? new Set()).difference(taken);
        for (const text of own) taken.add(text);
        return [name, own];
      }),
    );
  }

  /** The other shared ones, each under a name of its own. */
  #shared(): ReadonlyMap<string, string> {
    const ofParts = new Set([...this.#partMembers().values()].flatMap((texts) => [...texts]));
    const names = new Set<string>();
    const found = [...this.#uses].filter(([text, uses]) => uses > 1 && !ofParts.has(text));
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
    const shared = this.#shared();
    const members = this.#partMembers();
    const parts = PARTS.filter(({ of }) => of in properties).map(({ name }) => name);
    const own = Object.entries(properties).flatMap((property) => {
      const [name, schema] = property as [string, unknown];
      const text = textOfOne(property);
      const part = PARTS.find((one) => members.get(one.name)?.has(text))?.name;
      if (part !== undefined) return parts.includes(part) ? [] : `${name}: ${part}.${name}`;
      const common = shared.get(text);
      return `${name}: ${common === undefined ? JSON.stringify(schema) : `SHARED.${common}`}`;
    });
    return `{ ${[...own, ...parts.map((name) => `...${name}`)].join(", ")} }`;
  }

  get text(): string {
    const members = this.#partMembers();
    const parts = PARTS.map(({ name, comment }) => {
      const texts = [...(members.get(name) ?? [])].map((text) => `${text.slice(1, -1)},`);
      return `/** ${comment} */\nconst ${name} = {\n${texts.join("\n")}\n};\n`;
    });
    const others = [...this.#shared()].map(
      ([text, own]) => `${own}: ${JSON.stringify(Object.values(JSON.parse(text) as object)[0])},`,
    );
    return `${parts.join("\n")}\n/** Parameters of several operations. */\nconst SHARED = {\n${others.join("\n")}\n};\n`;
  }
}

function textOfOne([name, schema]: readonly [string, unknown]): string {
  return JSON.stringify({ [name]: schema });
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
