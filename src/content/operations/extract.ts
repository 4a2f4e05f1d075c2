import { array, object, type Output, record, strictObject, string, unknown } from "../../lib/schema.ts";
import { excludes, members, needs, needsValue, when } from "./field-rules.ts";
import { problemType, TurnpikeError } from "../../lib/errors.ts";
import { type ExtractionTask } from "../extraction/tree/extraction.ts";
import { actionsPart, actionsSchema } from "./action-parameters.ts";
import { type PageRequest } from "../page/page.ts";
import { type ReadPage } from "../page-reader/page-reader.ts";
import { type PageFields } from "../extraction/tree/page-fields.ts";
import { commonRules, confirmedValues, learnedShape } from "./extractors.ts";
import {
  assertPromptable,
  fieldParameters,
  fieldsResult,
  fieldsShape,
  readFields,
  schemaTask,
} from "./extract-fields.ts";
import { readSelectors, selectorsParameter } from "./extract-selectors.ts";
import { cutContent, failedMetadata, METADATA_EXAMPLE, metadataSchema } from "./metadata.ts";
import { type Call, type OperationResult, postOperation, type Services, stopwatch } from "./operation.ts";
import { PageFailures } from "./page-failures.ts";
import { PAGE_FAILURES, pageParameters, pageRequest, pageUrl, PAGE_RULES } from "./page-parameters.ts";
import { madeText, SESSION_FAILURES, sessionParameters, SESSION_RULES } from "./session-parameters.ts";
import { flag } from "./text.ts";

/** Pages of one call. */
const MAX_PAGES = 20;
/** Pages from which an extractor is learned. */
const MAX_LEARNED = 5;
/** Milliseconds of a call with several pages, below the timeout of the gateway's route. */
const MAX_CALL_MS = 180_000;

const { url: _, ...sharedParameters } = pageParameters;

/** Fields of which one is required. */
const PAGES = ["url", "urls"];
const WANTS = ["selectors", "schema", "extractor"];

const body = strictObject({
  url: pageUrl.optional(),
  urls: array(pageUrl)
    .min(1)
    .max(MAX_PAGES)
    .optional()
    .describe("Several pages, in place of `url`; each is paid for if it has all required fields"),
  ...sharedParameters,
  ...sessionParameters,
  selectors: selectorsParameter,
  ...fieldParameters,
  learn: flag().describe(
    "With a schema and 2 to 5 pages of one template: keep the places of the fields as an extractor",
  ),
  confirmed: array(record(string(), unknown()))
    .max(MAX_LEARNED)
    .optional()
    .describe("With learn: right values of each page, in the order of `urls`, in the form of `data`"),
  extractor: madeText.optional().describe("Id of a learned extractor, in place of `schema`"),
}).openapi("ExtractRequest", {
  anyOf: PAGES.flatMap((page) => WANTS.map((want) => ({ required: [page, want] }))),
});

const RULES = [
  { anyOf: PAGES.map((name) => ({ required: [name] })) },
  { anyOf: WANTS.map((name) => ({ required: [name] })) },
  ...PAGE_RULES,
  ...SESSION_RULES,
  excludes("url", "urls"),
  excludes("selectors", "schema", "extractor"),
  excludes("schema", "extractor"),
  needs("prompt", "schema"),
  needsValue("confirmed", "learn", true),
  when("learn", true, { required: ["schema", "urls"], ...members({ urls: { minItems: 2, maxItems: MAX_LEARNED } }) }),
];

type Input = Output<typeof body>;

const data = record(string(), unknown()).describe(
  "By name. With selectors: a string for one element, an array for several, null for none. With a schema: the fields, " +
    "null for those that the page does not state",
);

const result = object({
  url: string(),
  data,
  ...fieldsShape,
  metadata: metadataSchema,
  actions: actionsSchema,
  error: string().optional().describe("Reason of the failure; only if this page failed"),
  error_type: string().optional().describe("The problem type of the error"),
}).openapi("ExtractResult", { description: "The data of one page, or the error instead of them" });

const response = object({
  url: string(),
  data,
  ...fieldsShape,
  metadata: metadataSchema,
  actions: actionsSchema,
  extractor: learnedShape,
  results: array(result)
    .optional()
    .describe(
      "With `urls`: one for each page, in their order; the other members are those of the first one that succeeded",
    ),
}).openapi("ExtractResponse");

/** `POST /extract`: data of pages, by CSS selectors or by a JSON schema. */
export const extract = postOperation(
  {
    name: "extract",
    path: "/extract",
    price: "$0.005",
    summary: "Extract data of pages by CSS selectors or a JSON schema",
    description:
      "With `selectors`, the text of the elements that each selector matches: a string for one element, an array for several, " +
      "null for no match. `selector@attribute` returns an attribute of the elements that have it; addresses become absolute. Without " +
      "`@`, code is omitted, and each block has a line of its own. With `schema`, the fields that it describes, from structured data, " +
      "tables, labels and lists of the page. Every value stands in the page, and `sources` has its place. A field without a value is null; if the " +
      "schema requires it, the page is the error `fields-missing`, and free.",
    body,
    rules: RULES,
    example: { url: "https://example.com/", selectors: { title: "h1", links: "a@href" } },
    success: {
      description: "The data of the page",
      schema: response,
      example: {
        url: "https://example.com/",
        data: { title: "Example Domain", links: "https://www.iana.org/domains/example" },
        metadata: METADATA_EXAMPLE,
      },
    },
    failures: [...PAGE_FAILURES, ...SESSION_FAILURES, "fields-missing", "not-found"],
  },
  async (input, services, call): Promise<OperationResult> => {
    const order = await orderOf(input, services);
    if (input.url === undefined) return await severalPages(input.urls ?? [], order, { input, services, call });
    const request = pageRequest({ ...input, url: input.url }, call.signal, order.needsBrowser);
    return {
      json: {
        url: input.url,
        ...madeOf(await readFields(request, order.task, services), call.elapsedMs()),
      },
    };
  },
);

interface Order {
  readonly task: ExtractionTask;
  /** A field that only a browser can match. */
  readonly needsBrowser: string | undefined;
}

async function orderOf(input: Input, { extractors, resolver }: Services): Promise<Order> {
  const { selectors = {}, schema, extractor, prompt } = input;
  assertPromptable(prompt, "prompt", resolver);
  if (extractor !== undefined) {
    const { rules, ...learned } = await extractors.find(extractor);
    const { locale = learned.locale } = input;
    return { task: { ...schemaTask(learned.schema, { ...input, locale }), rules }, needsBrowser: undefined };
  }
  if (schema === undefined) return readSelectors(selectors);
  return { task: schemaTask(schema, input), needsBrowser: undefined };
}

/** The result of a page. Throws `fields-missing`. */
function madeOf({ extraction, source, acted }: ReadPage, elapsedMs: number) {
  const { fields = {}, values, title, truncated = false } = extraction;
  const made = values === undefined ? { data: fields } : fieldsResult(values);
  const { metadata } = cutContent(JSON.stringify(made.data), undefined, { source, title }, elapsedMs);
  return { ...made, metadata: { ...metadata, truncated }, ...actionsPart(acted) };
}

interface Calling {
  readonly input: Input;
  readonly services: Services;
  readonly call: Call;
}

/** Loads pages at the same time. Fails with the error of the first page if every page fails, so that the call is free. */
async function severalPages(
  urls: readonly string[],
  { task, needsBrowser }: Order,
  { input, services, call }: Calling,
): Promise<OperationResult> {
  const requestFor = (url: string): PageRequest => {
    const request = pageRequest({ ...input, url }, call.signal, needsBrowser);
    return { ...request, turnMs: MAX_CALL_MS - request.timeoutMs - request.waitMs };
  };
  const requests = urls.map((url, at) => {
    const confirmed = confirmedValues(input.confirmed?.[at]);
    const own = task.kind === "schema" && input.learn ? { ...task, learn: confirmed } : task;
    return { url, request: requestFor(url), task: own };
  });
  const learned: PageFields[] = [];
  const failures = new PageFailures(services.log, "a page of an extraction");
  const results = await Promise.all(
    requests.map(async ({ url, request, task: own }) => {
      const elapsedMs = stopwatch(services.now);
      try {
        const page = await readFields(request, own, services);
        const made = madeOf(page, elapsedMs());
        if (page.extraction.values !== undefined) learned.push(page.extraction.values);
        return { url, ...made };
      } catch (error) {
        return { url, failure: failures.errorOf(error), elapsedMs: elapsedMs() };
      }
    }),
  );
  const succeeded = results.filter((one) => !("failure" in one));
  const [first] = succeeded;
  const [failed] = results.flatMap((one) => ("failure" in one ? [one.failure] : []));
  if (first === undefined) throw failed ?? new TurnpikeError("internal", "Cannot extract: no page was loaded");
  const share = Math.floor((succeeded.length * 100) / urls.length);
  if (input.learn && failed !== undefined) throw failed;
  const rules = commonRules(learned);
  const { schema = {}, locale } = input;
  const extractor = input.learn
    ? { extractor: { id: await services.extractors.keep({ schema, locale, rules }, call.payer), rules } }
    : {};
  return {
    json: { ...first, ...extractor, results: results.map(shownResult) },
    charge: share === 100 ? undefined : `${share}%`,
  };
}

type Made = { readonly url: string } & (
  | ReturnType<typeof madeOf>
  | { readonly failure: TurnpikeError; readonly elapsedMs: number }
);

function shownResult(made: Made): object {
  if (!("failure" in made)) return made;
  const { url, failure, elapsedMs } = made;
  const metadata = failedMetadata(elapsedMs, failure.members.page_status);
  return { url, data: {}, metadata, error: failure.message, error_type: problemType(failure.code) };
}
