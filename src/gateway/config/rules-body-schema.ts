import type * as Schemas from "../../lib/json-schema/compile-schema.ts";
import { type RouteConfig } from "./config.ts";
import { type Report } from "./draft.ts";
import { isOperationReference, operationSchema } from "./operation-schemas.ts";

/** Loaded with the first route that has a body schema (bench start). */
const schemas = (): typeof Schemas => require("../../lib/json-schema/compile-schema.ts");

function location(pointer: string): string {
  return pointer === "" ? "" : `at ${JSON.stringify(pointer)}: `;
}

/** Checks `routes[].body_schema`. Reports a problem if the schema cannot be compiled, and the compiler's warnings. */
export function checkBodySchema({ body_schema: schema }: RouteConfig, path: string, report: Report): void {
  if (schema === undefined || isOperationReference(schema)) return;
  const { compileSchema, SchemaError } = schemas();
  try {
    const { warnings } = compileSchema(schema, { checksFormats: true, known: operationSchema });
    for (const warning of warnings) report.warning(path, location(warning.path) + warning.message);
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    report.problem(path, location(error.pointer) + error.message);
  }
}
