import { type ApiDocument, type ApiSchema, apiDocument, resolveSchema } from "../api/api-document.ts";
import { type Operation } from "../operations/operation.ts";
import { OPERATIONS } from "../operations/operations.ts";
import { type PriceList } from "../api/price-list.ts";

export interface Tool {
  readonly operation: Operation;
  readonly description: string;
  readonly inputSchema: { readonly type: "object"; readonly [key: string]: unknown };
}

let made: ReadonlyMap<string, Tool> | undefined;

/** All paid operations by name. A tool's schema comes from the API's description, which takes it from the operation. */
export function tools(): ReadonlyMap<string, Tool> {
  made ??= new Map(
    OPERATIONS.filter(({ body }) => body !== undefined).map((operation) => [
      operation.name,
      toolOf(apiDocument("/"), operation),
    ]),
  );
  return made;
}

function toolOf(document: ApiDocument, operation: Operation): Tool {
  const { name, path, summary, description } = operation;
  const content = document.paths[path]?.post?.requestBody?.content["application/json"];
  if (content === undefined) throw new Error(`Cannot offer the operation "${name}": it is not described`);
  const schema = withoutReferences(document, content.schema);
  return { operation, description: `${summary}. ${description}`, inputSchema: { ...schema, type: "object" } };
}

/** The price in a tool's description. */
export function costText({ operation }: Tool, list: PriceList | undefined): string {
  if (isFree(operation, list)) return "Free.";
  return `Costs ${list?.prices[operation.path] ?? "the price that the gateway states"}; a failed call costs nothing unless it has a receipt.`;
}

/** False if the price is not known. */
export function isFree({ path }: Operation, list: PriceList | undefined): boolean {
  return list !== undefined && list.prices[path] === undefined;
}

/** The schema with all references replaced by their schemas, because a tool's schema must be complete in itself. */
function withoutReferences(document: ApiDocument, given: ApiSchema): ApiSchema {
  const { schema } = resolveSchema(document, given);
  const { properties, items } = schema;
  return {
    ...schema,
    ...(items === undefined ? {} : { items: withoutReferences(document, items) }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, value]) => [name, withoutReferences(document, value)]),
          ),
        }),
  };
}
