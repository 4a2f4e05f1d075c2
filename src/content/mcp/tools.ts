import {
  type ApiDocument,
  type ApiSchema,
  apiDocument,
  resolveSchema,
  withoutReferences,
} from "../api/api-document.ts";
import { briefInput, firstSentence, type ObjectSchema, outputOf } from "./brief.ts";
import { JOB_OPERATIONS } from "../operations/job-requests.ts";
import { type Operation } from "../operations/operation.ts";
import { actionParameters } from "../operations/action-parameters.ts";
import { requestParameters } from "../operations/request-parameters.ts";
import { sessionParameters } from "../operations/session-parameters.ts";
import { OPERATIONS } from "../operations/operations.ts";
import { type PriceList } from "../api/price-list.ts";

/** A description and an input schema, whole or in the short form of `tools/list`. */
interface Form {
  readonly description: string;
  readonly inputSchema: ObjectSchema;
}

export interface Tool {
  readonly operation: Operation;
  readonly whole: Form;
  readonly brief: Form;
  /** Undefined for a tool that returns a file. */
  readonly outputSchema: ObjectSchema | undefined;
}

/** The number of tools with the same option from which on the option is a common one. */
const COMMON = 3;

/** Options of own requests, of steps and of sessions. */
const DETAILS: ReadonlySet<string> = new Set(
  [requestParameters, actionParameters, sessionParameters].flatMap((parameters) => Object.keys(parameters)),
);

let made: ReadonlyMap<string, Tool> | undefined;

/** All paid operations by name. A tool's schema comes from the API's description, which takes it from the operation. */
export function tools(): ReadonlyMap<string, Tool> {
  made ??= makeTools();
  return made;
}

function makeTools(): ReadonlyMap<string, Tool> {
  const document = apiDocument("/");
  const sold = OPERATIONS.filter(({ body }) => body !== undefined);
  const inputs = sold.map((operation) => ({ operation, inputSchema: inputOf(document, operation) }));
  const uses = new Map<string, number>();
  for (const { inputSchema } of inputs) {
    for (const option of Object.entries(inputSchema.properties ?? {})) {
      const key = JSON.stringify(option);
      uses.set(key, (uses.get(key) ?? 0) + 1);
    }
  }
  const isCommon = (...option: readonly [string, ApiSchema]) => (uses.get(JSON.stringify(option)) ?? 0) >= COMMON;
  return new Map(
    inputs.map(({ operation, inputSchema }) => {
      const { name, path, summary, description } = operation;
      const whole = {
        description: `${summary}. ${description}`,
        inputSchema: { ...inputSchema, type: "object" },
      } as const;
      const brief = {
        description: `${summary}. ${firstSentence(description)}.`,
        // One tool shows these options, which all tools for pages have.
        inputSchema: briefInput(inputSchema, {
          isCommon,
          isLeftOut: (option) => name !== "scrape" && DETAILS.has(option),
        }),
      };
      return [name, { operation, whole, brief, outputSchema: outputAt(document, path, "post") }];
    }),
  );
}

function inputOf(document: ApiDocument, { name, path }: Operation): ApiSchema {
  const content = document.paths[path]?.post?.requestBody?.content["application/json"];
  if (content === undefined) throw new Error(`Cannot offer the operation "${name}": it is not described`);
  return withoutReferences(document, content.schema);
}

/** The structured content of a request's successful responses; undefined without it. */
function outputAt(document: ApiDocument, path: string, method: "get" | "post" | "delete"): ObjectSchema | undefined {
  const responses = Object.entries(document.paths[path]?.[method]?.responses ?? {});
  const schemas = responses.flatMap(([status, { content }]) => {
    const json = status.startsWith("2") ? content["application/json"] : undefined;
    return json === undefined ? [] : [resolveSchema(document, json.schema).schema];
  });
  return schemas.length === 0 ? undefined : outputOf(schemas);
}

/** The structured content of a job tool's result, by the path below that of the job. */
export function jobOutput(below: string, method: "GET" | "DELETE"): ObjectSchema | undefined {
  const described = JOB_OPERATIONS.find(({ path }) => path.endsWith(`{id}${below}`));
  return outputAt(apiDocument("/"), described?.path ?? "", method === "GET" ? "get" : "delete");
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
