import { z } from "@hono/zod-openapi";
import { type ExtractionTask } from "../extraction/tree/extraction.ts";
import { parseSelector } from "../extraction/selectors/parse-selector.ts";
import { invalidParameters } from "./operation.ts";
import { MAX_SELECTOR_LENGTH } from "./page-parameters.ts";

/** Maximum number of selectors of an extraction. */
const MAX_SELECTORS = 100;
/** Maximum number of characters of a name. */
const MAX_NAME_LENGTH = 100;

export type Selectors = Readonly<Record<string, string>>;

// A record of zod silently ignores a name such as __proto__; this schema accepts it as a name.
const selectorsSchema = z.unknown().transform((value, context): Selectors => {
  const selectors: Record<string, string> = Object.create(null);
  const refuse = (message: string, ...path: string[]) => context.addIssue({ code: "custom", message, path });
  if (typeof value !== "object" || value === null || Array.isArray(value)) refuse("must be of type object");
  else {
    const entries = Object.entries(value);
    if (entries.length < 1) refuse("must have at least 1 name");
    if (entries.length > MAX_SELECTORS) refuse(`must have at most ${MAX_SELECTORS} names`);
    for (const [name, selector] of entries.slice(0, MAX_SELECTORS)) {
      const wrong = problemOf(name, selector);
      if (wrong === undefined) selectors[name] = String(selector);
      else refuse(wrong, name);
    }
  }
  return selectors;
});

function problemOf(name: string, selector: unknown): string | undefined {
  if (name === "") return "must not be named by an empty name";
  if (Array.from(name).length > MAX_NAME_LENGTH) return `must have a name of at most ${MAX_NAME_LENGTH} characters`;
  if (typeof selector !== "string") return "must be of type string";
  return Array.from(selector).length > MAX_SELECTOR_LENGTH
    ? `must be at most ${MAX_SELECTOR_LENGTH} characters`
    : undefined;
}

const DESCRIBED = {
  type: "object" as const,
  additionalProperties: { type: "string" as const, maxLength: MAX_SELECTOR_LENGTH },
  propertyNames: { minLength: 1, maxLength: MAX_NAME_LENGTH },
  minProperties: 1,
  maxProperties: MAX_SELECTORS,
  description:
    "CSS selectors by the names that their results get. `selector@attribute` gives an attribute's values in place " +
    "of texts",
  example: { title: "h1", links: "main a@href" },
};

export const selectorsParameter = selectorsSchema.optional().openapi(DESCRIBED);

/** The task, and a field that only a browser can match. Throws `invalid-parameters` if a selector is not valid. */
export function readSelectors(given: Selectors): { task: ExtractionTask; needsBrowser: string | undefined } {
  const selectors: Record<string, string> = Object.create(null);
  const attributes: Record<string, string> = Object.create(null);
  const wrong: string[] = [];
  let needsBrowser: string | undefined;
  for (const [name, text] of Object.entries(given)) {
    const { selector, attribute } = splitAttribute(text);
    selectors[name] = selector;
    if (attribute !== undefined) attributes[name] = attribute;
    const parsed = parseSelector(selector);
    if (parsed === "invalid") wrong.push(name);
    if (parsed === "unknown") needsBrowser ??= `selectors.${name}`;
  }
  if (wrong.length > 0) {
    throw invalidParameters(wrong.map((name) => ({ path: `selectors.${name}`, message: "is not a CSS selector" })));
  }
  return { task: { kind: "fields", selectors, attributes }, needsBrowser };
}

/** A selector has no @ outside of strings and escapes, and a string does not end like a name. */
function splitAttribute(text: string): { selector: string; attribute: string | undefined } {
  const match = /^([^]*[^\\])@([a-z_:][\w:.-]*)[ \t\n\r\f]*$/i.exec(text);
  const [, selector, attribute] = match ?? [];
  if (selector === undefined) return { selector: text, attribute: undefined };
  return { selector, attribute };
}
