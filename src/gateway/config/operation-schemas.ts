import shipped from "../../../config/turnpike.json";
import { type Json } from "../../lib/json-schema/json.ts";

/** Loaded for the first reference, because it takes an eighth of the CPU time of a start. */
const listings = (): Record<string, { readonly body: Json }> => require("../../../config/listings.json");

/** The operations of the content service that have a price in the shipped configuration. */
export const SOLD_OPERATIONS = shipped.routes.flatMap((route) =>
  "x402" in route ? [{ path: route.path_prefix, method: "body_schema" in route ? "POST" : "GET" } as const] : [],
);

const PREFIX = "urn:turnpike:body:";

/**
 * The schema of the bodies of a content operation, for `"body_schema": { "$ref": "urn:turnpike:body:read" }`; undefined for other URIs.
 * `scripts/generate.ts` writes it from the schema by which the content service itself checks bodies.
 */
export function operationSchema(uri: string): Json | undefined {
  if (!uri.startsWith(PREFIX)) return undefined;
  const found = Object.entries(listings()).find(([path]) => path === `/${uri.slice(PREFIX.length)}`);
  return found?.[1].body;
}

/**
 * Whether a schema is nothing but a reference to the one of a content operation. It is known to be valid, and is compiled
 * with the first request, because the compiler takes memory (bench start).
 */
export function isOperationReference(schema: object): boolean {
  const uri: unknown = Reflect.get(schema, "$ref");
  return typeof uri === "string" && Object.keys(schema).length === 1 && operationSchema(uri) !== undefined;
}
