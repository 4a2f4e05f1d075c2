import {
  type ApiDocument,
  type ApiSchema,
  apiDocument,
  operationsOf,
  type PlacedOperation,
  resolveSchema,
} from "../src/content/api/api-document.ts";

/** Parameters for programs that go on while the agent waits. */
const NOT_FOR_AGENTS = ["async", "webhook"];

/** Every operation with a price as a tool of agents, by name. */
export function toolOperations(): Readonly<Record<string, object>> {
  const document = apiDocument("/");
  const tools = operationsOf(document).flatMap((operation) => {
    const schema = operation.requestBody?.content["application/json"]?.schema;
    if (schema === undefined) return [];
    const parameters = parametersOf(document, schema, operation.operationId);
    return [[operation.operationId, { description: descriptionOf(operation), parameters }]];
  });
  return Object.fromEntries(tools);
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
  return { ...plain(document, schema), properties: plainProperties(document, Object.fromEntries(kept)) };
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
