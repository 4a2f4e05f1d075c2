import { array, boolean, literal, object, oneOf, record, strictObject, string, unknown } from "../../lib/schema.ts";
import { messageOf } from "../../lib/caught.ts";
import { type FieldError, TurnpikeError } from "../../lib/errors.ts";
import { SchemaError } from "../../lib/json-schema/compile-schema.ts";
import { type ExtractionTask, type SchemaTask } from "../extraction/tree/extraction.ts";
import { FIELD_ORIGINS, type PageFields } from "../extraction/tree/page-fields.ts";
import { planOf } from "../extraction/schema-fields/field-plan.ts";
import { type PageRequest } from "../page/page.ts";
import { type Pages, type ReadPage } from "../page-reader/page-reader.ts";
import { invalidParameters, type Services } from "./operation.ts";
import { withSummary } from "./page-summary.ts";
import { text, flag } from "./text.ts";

/** Characters of a prompt for a language model. */
const MAX_PROMPT = 2_000;

/** A JSON schema of fields. Its issues have the place in the schema. */
const fieldSchema = record(string(), unknown())
  .superRefine((schema, context) => {
    try {
      planOf(schema);
    } catch (error) {
      const path = error instanceof SchemaError ? error.pointer.split("/").slice(1) : [];
      context.addIssue({ code: "custom", message: messageOf(error), path });
    }
  })
  .openapi({
    type: "object",
    description: "JSON Schema (2020-12) of an object: the fields to find in the page, by names and descriptions",
    example: {
      type: "object",
      properties: { name: { type: "string" }, price: { type: "number" } },
      required: ["name"],
    },
  });

export const fieldParameters = {
  schema: fieldSchema.optional(),
  locale: text(35, 2)
    .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}$/, "must be a language tag such as de or en-GB")
    .optional()
    .openapi({
      description: "Language tag by which numbers and dates are read; default: that of the page",
      example: "de",
    }),
  prompt: text(MAX_PROMPT)
    .optional()
    .describe("With a schema, and if the service has a language model: what the model should know of the fields"),
  shown_only: flag().describe("With a schema: only values that a reader of the page sees"),
};

const source = object({
  from: oneOf(FIELD_ORIGINS),
  selector: string().describe("CSS selector of the element"),
  pointer: string().optional().describe("JSON Pointer of the value in the element's JSON-LD"),
  attribute: string().optional().describe("The element's attribute that has the value"),
  quote: string().describe("The text that states the value"),
  shown: boolean().describe("Whether a reader of the page sees the value"),
  conflict: unknown().optional().describe("A value of the structured data that the visible text contradicts"),
}).openapi("FieldSource", { description: "Where a value stands in the page" });

/** The members of a result with fields by a schema. */
export const fieldsShape = {
  sources: record(string(), source)
    .optional()
    .describe("With a schema: the place of each value, by JSON Pointer of the field"),
  missing: array(object({ path: string(), reason: string() }))
    .optional()
    .describe("With a schema: the fields that are null, by JSON Pointer, each with the reason"),
  drift: array(string())
    .readonly()
    .optional()
    .describe("With an extractor: fields that are not at their learned places, by JSON Pointer"),
};

export const jsonFormat = strictObject({
  type: literal("json"),
  schema: fieldSchema,
  locale: fieldParameters.locale,
  prompt: fieldParameters.prompt,
  shown_only: fieldParameters.shown_only,
}).openapi("JsonFormat");

/** The format `json` in a response. */
export const jsonResult = object({ data: record(string(), unknown()), ...fieldsShape }).openapi("PageFields", {
  description: "The fields of a schema, with their places",
});

interface SchemaInput {
  readonly locale?: string | undefined;
  readonly prompt?: string | undefined;
  readonly shown_only: boolean;
}

/** The task of a request with a schema. */
export function schemaTask(schema: object, { locale, prompt, shown_only: shownOnly }: SchemaInput): SchemaTask {
  return { kind: "schema", schema, locale, prompt, shownOnly };
}

/** Throws `invalid-parameters` if the parameter at `path` is a prompt, and there is no language model. */
export function assertPromptable(
  prompt: string | undefined,
  path: string,
  { fieldModel }: Pick<Services["resolver"], "fieldModel">,
): void {
  if (prompt === undefined || fieldModel !== undefined) return;
  throw invalidParameters([{ path, message: "needs a language model, which this service does not have" }]);
}

/** Throws `invalid-parameters` if a format has a prompt, and no language model is asked. */
export function assertPrompts(
  formats: readonly { readonly type: string; readonly prompt?: string | undefined }[] | undefined,
  resolver: Pick<Services["resolver"], "fieldModel">,
): void {
  for (const [at, { prompt }] of (formats ?? []).entries()) assertPromptable(prompt, `formats.${at}.prompt`, resolver);
}

/** The services that read a page with a schema. */
type FieldServices = Pick<Services, "pages" | "files" | "resolver" | "log">;

/** The pages of a service that asks a language model for fields without a value, and for summaries. */
export function askingPages(services: FieldServices): Pages {
  const { pages } = services;
  return {
    read: async (request, task) => await withSummary(await readFields(request, task, services), request, services),
    open: async (...args) => await pages.open(...args),
    show: async (...args) => await pages.show(...args),
  };
}

/** The schema of a task, which is the task or one of its forms. */
function schemaIn(task: ExtractionTask): SchemaTask | undefined {
  return task.kind === "schema" ? task : task.forms?.json;
}

function withSchema(task: ExtractionTask, more: Partial<SchemaTask>): ExtractionTask {
  if (task.kind === "schema") return { ...task, ...more };
  if (task.forms === undefined || task.forms.json === undefined) return task;
  return { ...task, forms: { ...task.forms, json: { ...task.forms.json, ...more } } };
}

/**
 * Reads a page. If fields of a schema have no value, and the service has a language model, the model is asked for them; each of its values
 * is checked with the page.
 */
export async function readFields(
  request: PageRequest,
  task: ExtractionTask,
  { pages, files, resolver, log }: FieldServices,
): Promise<ReadPage> {
  const own = schemaIn(task);
  const model = own && resolver.fieldModel;
  if (own === undefined || model === undefined) return await pages.read(request, task);
  const page = await pages.read(request, withSchema(task, { withText: true }));
  const { missing = [], text: shown = "" } = page.extraction.values ?? page.extraction.forms?.json ?? {};
  if (missing.length === 0 || shown === "") return page;
  const { signal = new AbortController().signal, timeoutMs } = request;
  const question = {
    url: page.source.finalUrl,
    text: shown,
    schema: own.schema,
    paths: missing.map(({ path }) => path),
    prompt: own.prompt ?? "",
  };
  try {
    const suggestions = await model.suggest(question, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
    return {
      ...page,
      ...(await files.readFile(page.source, withSchema(task, { suggestions }), { timeoutMs, signal })),
    };
  } catch (error) {
    signal.throwIfAborted();
    log("warn", `Cannot ask the language model for fields: ${messageOf(error)}`);
    return page;
  }
}

/** The fields that an error lists. */
const MAX_LISTED = 20;

/** The result of a page. Throws `fields-missing`, which is free, if a field that the schema requires has no value. */
export function fieldsResult({ value, sources, missing, drift }: PageFields) {
  const required = missing.filter((one) => one.required).slice(0, MAX_LISTED);
  if (required.length > 0) throw fieldsMissing(required);
  // The root of a plan is an object.
  const data = value as Readonly<Record<string, unknown>>;
  const told = missing.map(({ path, reason }) => ({ path, reason }));
  return { data, sources, missing: told, ...(drift === undefined ? {} : { drift }) };
}

function fieldsMissing(missing: PageFields["missing"]): TurnpikeError {
  const errors = missing.map(({ path, reason }): FieldError => {
    return { path: path.slice(1).replaceAll("/", "."), message: `is required, and ${reason}` };
  });
  const [first] = errors;
  const what = first === undefined ? "a field is missing" : `'${first.path}' ${first.message}`;
  return new TurnpikeError("fields-missing", `Cannot extract the fields: ${what}`, errors);
}
