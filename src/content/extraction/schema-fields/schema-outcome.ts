import { type ExtractionOutcome, type SchemaTask } from "../tree/extraction.ts";
import { type PageFields } from "../tree/page-fields.ts";
import { planOf } from "./field-plan.ts";
import { fieldsOf, type SeenDocument } from "./fields-of.ts";

/** The fields of a document. */
export function schemaFields(document: SeenDocument, { schema, ...about }: SchemaTask): PageFields {
  return fieldsOf({ ...document, ...about }, planOf(schema));
}

/** The fields of a document, and as its content their values in JSON. */
export function schemaOutcome(document: SeenDocument, title: string, task: SchemaTask): ExtractionOutcome {
  const values = schemaFields(document, task);
  return { outcome: "content", extraction: { content: JSON.stringify(values.value), title, values } };
}
