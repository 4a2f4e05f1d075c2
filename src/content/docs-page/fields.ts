import { type ApiDocument, type ApiSchema, resolveSchema } from "../api/api-document.ts";
import { type Html, html, prose } from "../../lib/text/html.ts";

/** The table of an object's fields; undefined if the schema has no fields. */
export function fieldsTable(document: ApiDocument, schema: ApiSchema, caption: string): Html | undefined {
  const { schema: object } = resolveSchema(document, schema);
  const fields = Object.entries(object.properties ?? {});
  if (fields.length === 0) return undefined;
  const required = new Set(object.required ?? []);
  return html`<h3>${caption}</h3><table class="fields"><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${fields.map(
    ([name, field]) =>
      html`<tr><th scope="row"><code>${name}</code>${required.has(name) ? html`<span class="required">required</span>` : undefined}</th><td class="type">${typeOf(document, field)}</td><td>${prose(resolveSchema(document, field).schema.description ?? "")}${boundsOf(field)}</td></tr>`,
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

function boundsOf(field: ApiSchema): Html | undefined {
  const parts = [
    field.enum === undefined ? undefined : `${field.enum.length === 1 ? "always" : "one of"} ${field.enum.join(", ")}`,
    range(field.minimum, field.maximum, ""),
    range(field.minLength, field.maxLength, " characters"),
    range(field.minItems, field.maxItems, " items"),
    range(field.minProperties, field.maxProperties, " names"),
    field.default === undefined ? undefined : `default ${JSON.stringify(field.default).replaceAll(/^"|"$/g, "")}`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : html`<small>${parts.join("; ")}</small>`;
}

/** The limits of safe integers are left out, because no reader needs them. */
function range(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  const from = least === undefined || least === Number.MIN_SAFE_INTEGER ? undefined : least;
  const to = most === undefined || most === Number.MAX_SAFE_INTEGER ? undefined : most;
  if (from === undefined && to === undefined) return undefined;
  if (to === undefined) return from === 1 && unit !== "" ? undefined : `at least ${from}${unit}`;
  return from === undefined || (from <= 1 && unit === " characters")
    ? `at most ${to}${unit}`
    : `${from} to ${to}${unit}`;
}
