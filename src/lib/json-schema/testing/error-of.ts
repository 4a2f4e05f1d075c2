import { compileSchema, SchemaError } from "../compile-schema.ts";
import { type Json } from "../json.ts";

/** The error of a refused schema as `pointer: message`; empty if the schema is accepted. */
export function errorOf(schema: Json): string {
  try {
    compileSchema(schema, { checksFormats: true });
  } catch (error) {
    if (error instanceof SchemaError) return `${error.pointer}: ${error.message}`;
    throw error;
  }
  return "";
}
