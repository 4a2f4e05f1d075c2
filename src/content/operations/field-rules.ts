import { type JsonObject } from "../../lib/json-schema/json.ts";

/**
 * A rule between the fields of a body, as a part of its JSON Schema. The service checks it, and the gateway checks it before
 * the price (decision 0511).
 */
export type FieldRule = JsonObject;

/** The field must not be together with the others. */
export function excludes(field: string, ...others: readonly string[]): FieldRule {
  return { dependentSchemas: { [field]: members(Object.fromEntries(others.map((other) => [other, false]))) } };
}

/** With the field, the others are required. */
export function needs(field: string, ...others: readonly string[]): FieldRule {
  return { dependentRequired: { [field]: [...others] } };
}

/** With the field, the others must fit these schemas if they are there. */
export function limits(field: string, others: JsonObject): FieldRule {
  return { dependentSchemas: { [field]: members(others) } };
}

/** With the field, the other one is required and must have one of these values. */
export function needsValue(field: string, other: string, ...values: readonly (string | boolean)[]): FieldRule {
  return { dependentSchemas: { [field]: required(other, { enum: [...values] }) } };
}

/** If the field has the value, the body must fit the schema. */
export function when(field: string, value: string | boolean, body: FieldRule): FieldRule {
  // oxlint-disable-next-line no-thenable -- the keyword of JSON Schema
  return { if: required(field, { const: value }), then: body };
}

/** The members, if they are there, must fit these schemas. */
export function members(schemas: JsonObject): FieldRule {
  return { properties: schemas };
}

/** The member is there, and fits the schema. */
export function required(member: string, schema: JsonObject): FieldRule {
  return { ...members({ [member]: schema }), required: [member] };
}
