import { apiDocument, type ApiSchema, operationsOf, resolveSchema } from "../../content/api/api-document.ts";
import { boundsOf } from "../../content/api/field-bounds.ts";
import { wrapped } from "../common/flags.ts";

const COLUMNS = 140;

/** The usage of one operation: what it does, and its parameters. */
export function operationHelp(name: string, argument: string | undefined): string {
  const document = apiDocument("/");
  const operation = operationsOf(document).find(({ operationId }) => operationId === name);
  const body = operation?.requestBody?.content["application/json"]?.schema ?? {};
  const { properties = {}, required = [] } = resolveSchema(document, body).schema;
  const rows = Object.entries(properties).map(([key, given]) => {
    const { schema } = resolveSchema(document, given);
    const facts = [required.includes(key) ? "required" : "", typeOf(schema), boundsOf(schema)]
      .filter(Boolean)
      .join("; ");
    return { key, text: `${schema.description ?? ""}${facts === "" ? "" : ` (${facts})`}`.trim() };
  });
  const width = Math.max(0, ...rows.map(({ key }) => key.length)) + 5;
  const lines = rows.map(
    ({ key, text }) => `  ${key}`.padEnd(width) + wrapped(text, COLUMNS - width).join(`\n${" ".repeat(width)}`),
  );
  return [
    `usage: turnpike call ${[name, argument?.toUpperCase()].filter(Boolean).join(" ")}${lines.length === 0 ? "" : " [--set key=value ...]"} [FLAG ...]`,
    wrapped(`${operation?.summary ?? name}. ${operation?.description ?? ""}`, COLUMNS).join("\n"),
    ...(lines.length === 0 ? [] : [`parameters, for --set:\n${lines.join("\n")}`]),
    "turnpike call --help prints the flags.",
  ].join("\n\n");
}

/** The type of a parameter, unless it is any text. */
function typeOf({ type, format, items, anyOf }: ApiSchema): string {
  if (format === "date") return "such as 2026-11-21";
  if (anyOf !== undefined || type === undefined || type === "string") return "";
  if (type !== "array") return [type].flat().join(" or ");
  return items?.type === "string" ? "list of texts" : "list";
}
