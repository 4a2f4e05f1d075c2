import listings from "../../../config/listings.json";
import { type Json } from "../../lib/json-schema/json.ts";

const PREFIX = "urn:turnpike:body:";

/**
 * The schema of the bodies of a content operation, for `"body_schema": { "$ref": "urn:turnpike:body:read" }`; undefined for other URIs.
 * `scripts/generate.ts` writes it from the schema by which the content service itself checks bodies.
 */
export function operationSchema(uri: string): Json | undefined {
  if (!uri.startsWith(PREFIX)) return undefined;
  const found = Object.entries(listings).find(([path]) => path === `/${uri.slice(PREFIX.length)}`);
  return found?.[1].bazaar.schema.properties.input.properties.body;
}
