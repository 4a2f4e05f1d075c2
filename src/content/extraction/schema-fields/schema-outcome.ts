import { type Document } from "domhandler";
import { type ExtractionOutcome, type SchemaTask } from "../tree/extraction.ts";
import { type PageFields } from "../tree/page-fields.ts";
import { planOf } from "./field-plan.ts";
import { fieldsOf } from "./fields-of.ts";

/** The fields of a document. */
export function schemaFields(tree: Document, url: string, { schema, ...about }: SchemaTask): PageFields {
  return fieldsOf({ tree, url, ...about }, planOf(schema));
}

/** The fields of a document, and as its content their values in JSON. */
export function schemaOutcome(
  tree: Document,
  { url, title }: { readonly url: string; readonly title: string },
  task: SchemaTask,
): ExtractionOutcome {
  const values = schemaFields(tree, url, task);
  return { outcome: "content", extraction: { content: JSON.stringify(values.value), title, values } };
}
