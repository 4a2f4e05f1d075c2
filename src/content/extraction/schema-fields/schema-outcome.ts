import { type Document } from "domhandler";
import { type ExtractionOutcome, type SchemaTask } from "../tree/extraction.ts";
import { planOf } from "./field-plan.ts";
import { fieldsOf } from "./fields-of.ts";

/** The fields of a document, and as its content their values in JSON. */
export function schemaOutcome(
  tree: Document,
  { url, title }: { readonly url: string; readonly title: string },
  { schema, locale, shownOnly }: SchemaTask,
): ExtractionOutcome {
  const values = fieldsOf({ tree, url, locale, shownOnly }, planOf(schema));
  return { outcome: "content", extraction: { content: JSON.stringify(values.value), title, values } };
}
