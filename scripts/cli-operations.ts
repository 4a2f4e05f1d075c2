import {
  type ApiDocument,
  operationsOf,
  type PlacedOperation,
  resolveSchema,
} from "../src/content/api/api-document.ts";
import { OPERATIONS } from "../src/content/operations/operations.ts";

const HEAD = `// Made of the API's description by scripts/generate.ts; changes here are lost.

/** An operation of the content API, and the way in which the command line calls it. */
export interface Operation {
  readonly method: "GET" | "POST";
  /** Without it, the path is a slash and the name. */
  readonly path?: string;
  /** The parameter that positional arguments fill: the first required one. With \`many\` it is a list of all of them. */
  readonly argument?: string;
  readonly many?: true;
  /** The argument is a number. */
  readonly isNumber?: true;
  /** Other parameters can take the place of the argument. */
  readonly optional?: true;
  /** The name of the file for a binary result, without extension. */
  readonly file?: string;
  /** The response is a job; if false, only with the parameter \`async\`. */
  readonly isJob?: boolean;
}

/** Every operation that \`turnpike call\` knows, by name. */
export const OPERATIONS: Readonly<Record<string, Operation>> = `;

/** The operations of `turnpike call`, as TypeScript that is not formatted yet. The command starts without their code. */
export function cliOperations(document: ApiDocument): string {
  const calls = operationsOf(document).map((operation) => [operation.operationId, callOf(document, operation)]);
  return `${HEAD}${JSON.stringify(Object.fromEntries(calls))};\n`;
}

function callOf(document: ApiDocument, { operationId, method, path, requestBody, responses }: PlacedOperation) {
  const body = requestBody?.content["application/json"]?.schema;
  const schema = body && resolveSchema(document, body).schema;
  const argument = schema?.required?.[0] ?? schema?.anyOf?.[0]?.required?.[0];
  const type = argument === undefined ? undefined : schema?.properties?.[argument]?.type;
  return {
    method: method.toUpperCase(),
    path: path === `/${operationId}` ? undefined : path,
    argument,
    optional: argument !== undefined && schema?.required?.[0] === undefined ? true : undefined,
    many: type === "array" ? true : undefined,
    isNumber: type === "integer" ? true : undefined,
    file: OPERATIONS.find(({ name }) => name === operationId)?.success.file,
    isJob: responses["202"] === undefined ? undefined : responses["200"] === undefined,
  };
}
