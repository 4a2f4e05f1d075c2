import { compileSchema, SchemaFault } from "../compile-schema.ts";
import { type Json } from "../json.ts";

/** Why a schema is refused: `pointer: message`; empty where it is not. */
export function faultOf(schema: Json): string {
  try {
    compileSchema(schema, { checksFormats: true });
  } catch (error) {
    if (error instanceof SchemaFault) return `${error.pointer}: ${error.message}`;
    throw error;
  }
  return "";
}
