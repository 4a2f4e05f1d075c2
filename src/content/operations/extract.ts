import { z } from "@hono/zod-openapi";
import { type ExtractionTask } from "../extraction/tree/extraction.ts";
import { parseSelector } from "../extraction/selectors/parse-selector.ts";
import { actionsPart, actionsSchema } from "./action-parameters.ts";
import { cutContent, METADATA_EXAMPLE, metadataSchema } from "./metadata.ts";
import { type OperationResult, invalidParameters, postOperation } from "./operation.ts";
import { MAX_SELECTOR_LENGTH, PAGE_FAILURES, pageParameters, pageRequest } from "./page-parameters.ts";
import { SESSION_FAILURES, sessionParameters } from "./session-parameters.ts";

/** Maximum number of selectors of an extraction. */
const MAX_SELECTORS = 100;
/** Maximum number of characters of a name. */
const MAX_NAME_LENGTH = 100;

type Selectors = Readonly<Record<string, string>>;

// A record of zod silently ignores a name such as __proto__; this schema accepts it as a name.
const selectorsSchema = z.unknown().transform((value, context): Selectors => {
  const selectors: Record<string, string> = Object.create(null);
  const refuse = (message: string, ...path: string[]) => context.addIssue({ code: "custom", message, path });
  if (value === undefined) refuse("is required");
  else if (typeof value !== "object" || value === null || Array.isArray(value)) refuse("must be of type object");
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

const SELECTORS = {
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

const body = z
  .strictObject({
    ...pageParameters,
    ...sessionParameters,
    selectors: selectorsSchema.openapi(SELECTORS),
  })
  .openapi("ExtractRequest");

const response = z
  .object({
    url: z.string(),
    data: z.record(z.string(), z.union([z.string(), z.array(z.string()), z.null()])).openapi({
      description: "By name: a string for one element, an array for several, null for none",
    }),
    metadata: metadataSchema,
    actions: actionsSchema,
  })
  .openapi("ExtractResponse");

/** `POST /extract`: texts and attributes of a page, by CSS selectors. */
export const extract = postOperation(
  {
    name: "extract",
    path: "/extract",
    price: "$0.005",
    summary: "Extract texts and attributes of a page by CSS selectors",
    description:
      "Loads the page and returns the text of the elements that each selector matches, as browsers match them: a string " +
      "for one element, an array for several, null for no match. `selector@attribute` returns an attribute of the elements that " +
      "have it; addresses become absolute. Without `@`, code is omitted, and each block has a line of its own.",
    body,
    example: { url: "https://example.com/", selectors: { title: "h1", links: "a@href" } },
    success: {
      description: "Texts and attributes of the matched elements",
      contentType: "application/json",
      schema: response,
      example: {
        url: "https://example.com/",
        data: { title: "Example Domain", links: "https://www.iana.org/domains/example" },
        metadata: METADATA_EXAMPLE,
      },
    },
    failures: [...PAGE_FAILURES, ...SESSION_FAILURES],
  },
  async (input, { pages }, { signal, elapsedMs }): Promise<OperationResult> => {
    const { task, needsBrowser } = readSelectors(input.selectors);
    const request = pageRequest(input, signal, needsBrowser);
    const { extraction, source, acted } = await pages.read(request, task);
    const data = extraction.fields ?? {};
    const { metadata } = cutContent(JSON.stringify(data), undefined, { source, title: extraction.title }, elapsedMs());
    const about = { ...metadata, truncated: extraction.truncated === true };
    return { json: { url: input.url, data, metadata: about, ...actionsPart(acted) } };
  },
);

/** The task, and a field that only a browser can match. Throws `invalid-parameters` if a selector is not valid. */
function readSelectors(given: Selectors): { task: ExtractionTask; needsBrowser: string | undefined } {
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
