import { type ApiDocument, type ApiSchema, resolveSchema } from "../api/api-document.ts";
import { boundsOf } from "../api/field-bounds.ts";
import { type Html, html, prose } from "../../lib/text/html.ts";

/** The table of an object's fields; undefined if the schema has no fields. */
export function fieldsTable(document: ApiDocument, schema: ApiSchema, caption: string): Html | undefined {
  const { schema: object } = resolveSchema(document, schema);
  const fields = Object.entries(object.properties ?? {});
  if (fields.length === 0) return undefined;
  const required = new Set(object.required ?? []);
  return html`<h3>${caption}</h3><table class="fields"><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${fields.map(
    ([name, field]) =>
      html`<tr><th scope="row"><code>${name}</code>${required.has(name) ? html`<span class="required">required</span>` : undefined}</th><td class="type">${typeOf(document, field)}</td><td>${prose(resolveSchema(document, field).schema.description ?? "")}${bounds(field)}</td></tr>`,
  )}</tbody></table>`;
}

function typeOf(document: ApiDocument, field: ApiSchema): Html {
  const { name, schema } = resolveSchema(document, field);
  if (name !== undefined) return html`<a href="#${name}">${name}</a>`;
  if (schema.type === "array" && schema.items !== undefined) return html`list of ${typeOf(document, schema.items)}`;
  if (schema.anyOf !== undefined)
    return html`${schema.anyOf.map((one, at) => html`${at > 0 ? " or " : ""}${typeOf(document, one)}`)}`;
  return html`${schema.format === "uri" ? "URL" : [schema.type ?? "any"].flat().join(" or ")}`;
}

function bounds(field: ApiSchema): Html | undefined {
  const text = boundsOf(field);
  return text === "" ? undefined : html`<small>${text}</small>`;
}
