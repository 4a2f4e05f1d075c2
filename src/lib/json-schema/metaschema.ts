/** The metaschema of JSON Schema 2020-12 and its vocabularies, as json-schema.org publishes them. */
import applicator from "./metaschema/applicator.json" with { type: "json" };
import content from "./metaschema/content.json" with { type: "json" };
import core from "./metaschema/core.json" with { type: "json" };
import formatAnnotation from "./metaschema/format-annotation.json" with { type: "json" };
import formatAssertion from "./metaschema/format-assertion.json" with { type: "json" };
import metaData from "./metaschema/meta-data.json" with { type: "json" };
import schema from "./metaschema/schema.json" with { type: "json" };
import unevaluated from "./metaschema/unevaluated.json" with { type: "json" };
import validation from "./metaschema/validation.json" with { type: "json" };
import { type Json } from "./json.ts";

export const DIALECT = schema.$id;

const documents: readonly (Json & { readonly $id: string })[] = [
  schema,
  core,
  applicator,
  unevaluated,
  validation,
  metaData,
  formatAnnotation,
  formatAssertion,
  content,
];
const byId = new Map<string, Json>(documents.map((document) => [document.$id, document]));

/** The metaschema of that URI; undefined if there is no such metaschema. */
export function metaschema(uri: string): Json | undefined {
  return byId.get(uri);
}

/** Keywords of each vocabulary of the draft, by its URI. */
export const VOCABULARIES: ReadonlyMap<string, readonly string[]> = new Map(
  documents.slice(1).flatMap((document) => {
    const { $vocabulary, properties } = document as { $vocabulary?: object; properties?: object };
    return Object.keys($vocabulary ?? {}).map((uri) => [uri, Object.keys(properties ?? {})] as const);
  }),
);

/** Keywords of earlier drafts that the metaschema still lists. They check nothing any more. */
const FORMER = new Set(["dependencies", "$recursiveAnchor", "$recursiveRef"]);

/** Every keyword of the draft, including those that check nothing. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  documents
    .flatMap((document) => Object.keys((document as { properties?: object }).properties ?? {}))
    .filter((keyword) => !FORMER.has(keyword)),
);
