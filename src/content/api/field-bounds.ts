import { type ApiSchema } from "./api-document.ts";

/** The values that a field can have and its default, as text for people; empty if it has no bounds. */
export function boundsOf(field: ApiSchema): string {
  const parts = [
    field.enum === undefined ? undefined : `${field.enum.length === 1 ? "always" : "one of"} ${field.enum.join(", ")}`,
    range(field.minimum, field.maximum, ""),
    range(field.minLength, field.maxLength, " characters"),
    range(field.minItems, field.maxItems, " items"),
    range(field.minProperties, field.maxProperties, " names"),
    field.default === undefined ? undefined : `default ${JSON.stringify(field.default).replaceAll(/^"|"$/g, "")}`,
  ];
  return parts.filter((part) => part !== undefined).join("; ");
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
