import {
  array,
  discriminatedUnion,
  int,
  literal,
  number,
  oneOf,
  type Output,
  record,
  strictObject,
  string,
  union,
} from "../../lib/schema.ts";
import { HOP_BY_HOP_FIELDS } from "../../lib/http/field-roles.ts";
import { readableSelector } from "../operations/page-formats.ts";
import { jsonFormat } from "../operations/extract-fields.ts";
import { receiver } from "../operations/job-parameters.ts";
import { MAX_SELECTOR_LENGTH, pageUrl } from "../operations/page-parameters.ts";
import { requestParameters } from "../operations/request-parameters.ts";
import { text, visibleText, flag, whole } from "../operations/text.ts";
import {
  REFUSED_BATCH,
  REFUSED_BODY,
  REFUSED_CRAWL,
  REFUSED_EXTRACT,
  REFUSED_MAP,
  REFUSED_PAGE,
  REFUSED_SEARCH,
  refusing,
} from "./refused-options.ts";

/** Milliseconds of a page's `timeout` and `waitFor`, as for the other operations. */
const MAX_TIMEOUT_MS = 120_000;
const MAX_WAIT_MS = 30_000;
/** Steps of a page, milliseconds of a wait, and characters of a text and of a script. */
const MAX_ACTIONS = 50;
const MAX_ACTION_WAIT_MS = 60_000;
const MAX_ACTION_TEXT = 10_000;
const MAX_SCRIPT = 100_000;
/** Selectors of a list. */
const MAX_SELECTORS = 50;
/** Patterns of a list, and characters of one. */
const MAX_PATTERNS = 20;
const MAX_PATTERN_LENGTH = 200;
/** Pages of a crawl, addresses of a batch, and addresses of a map. */
const MAX_PAGES = 10_000;
const MAX_LINKS = 100_000;
/** Pages of an extraction, whose data are merged for each response. */
const MAX_EXTRACTED = 100;
/** Results of a search, and of one whose pages are loaded. */
const MAX_RESULTS = 50;
const MAX_LOADED = 10;
/** Hosts of a search. */
const MAX_HOSTS = 10;
/** Pixels of a side of a picture, as for `screenshot`. */
const MAX_SIDE = 10_000;
/** Fields of a webhook's requests. */
const MAX_FIELDS = 20;

const FORMATS = ["markdown", "html", "rawHtml", "links", "images", "summary", "branding"] as const;

/** A selector that the browser reads. */
const selector = text(MAX_SELECTOR_LENGTH, 1);

const attributes = strictObject({
  type: literal("attributes"),
  selectors: array(strictObject({ selector: readableSelector, attribute: text(100, 1) }))
    .min(1)
    .max(MAX_SELECTORS),
});

const screenshot = strictObject({
  type: literal("screenshot"),
  fullPage: flag(),
  quality: whole(0, 100).optional(),
  viewport: strictObject({ width: whole(1, MAX_SIDE), height: whole(1, MAX_SIDE) }).default({
    width: 1280,
    height: 720,
  }),
});

/** The mode `json` needs a language model. */
const changeTracking = strictObject({
  type: literal("changeTracking"),
  modes: array(literal("git-diff", "must be git-diff: json is not supported here")).max(2).default([]),
  tag: string().max(100).nullish(),
});

/** The fields of a schema, and what a language model should know of them. A prompt alone is not enough. */
const FIELDS = { schema: jsonFormat.shape.schema, prompt: string().max(5_000).optional() };

const json = strictObject({ type: literal("json"), ...FIELDS });

/** Names that stand for a format with its defaults. */
const SHORT = {
  changeTracking: changeTracking.parse({ type: "changeTracking" }),
  screenshot: screenshot.parse({ type: "screenshot" }),
  "screenshot@fullPage": screenshot.parse({ type: "screenshot", fullPage: true }),
} as const;

const format = union(
  [
    oneOf(FORMATS),
    oneOf(["changeTracking", "screenshot", "screenshot@fullPage"]).transform((name) => SHORT[name]),
    strictObject({ type: oneOf(FORMATS) }).transform(({ type }) => type),
    discriminatedUnion("type", [attributes, screenshot, changeTracking]),
    json,
  ],
  {
    error: `must be one of ${FORMATS.join(", ")}, screenshot, changeTracking, attributes, and json with a schema of an object; other formats are not supported here`,
  },
);

/** Names by which clients write languages: a tag, also with an underscore. */
const languageTag = string().regex(/^[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,2}$/, "must be a language tag");

const action = discriminatedUnion(
  "type",
  [
    strictObject({
      type: literal("wait"),
      milliseconds: whole(0, MAX_ACTION_WAIT_MS).optional(),
      selector: selector.optional(),
    }),
    strictObject({ type: literal("click"), selector, all: flag() }),
    strictObject({ type: literal("write"), text: text(MAX_ACTION_TEXT) }),
    strictObject({ type: literal("press"), key: text(50, 1) }),
    strictObject({
      type: literal("scroll"),
      direction: oneOf(["up", "down"]).default("down"),
      selector: selector.optional(),
    }),
    strictObject({
      type: literal("screenshot"),
      fullPage: flag(),
      quality: whole(0, 100).optional(),
    }),
    strictObject({ type: literal("scrape") }),
    strictObject({ type: literal("executeJavascript"), script: text(MAX_SCRIPT, 1) }),
  ],
  { error: "must be one of wait, click, write, press, scroll, screenshot, scrape and executeJavascript" },
);

const pdf = strictObject({ type: literal("pdf"), mode: oneOf(["fast", "auto"]).optional() });

/** Options of a page that have an effect here. */
const PAGE = {
  formats: array(format).min(1).max(10).default(["markdown"]),
  onlyMainContent: flag(true),
  includeTags: array(readableSelector).max(MAX_SELECTORS).default([]),
  excludeTags: array(readableSelector).max(MAX_SELECTORS).default([]),
  removeBase64Images: flag(true),
  headers: requestParameters.headers,
  actions: array(action).max(MAX_ACTIONS).default([]),
  mobile: flag(),
  location: strictObject({
    country: string()
      .regex(/^[A-Za-z]{2}$/)
      .optional(),
    languages: array(languageTag).max(10).optional(),
  }).nullish(),
  waitFor: whole(0, MAX_WAIT_MS).default(0),
  timeout: whole(1_000, MAX_TIMEOUT_MS).default(60_000),
  proxy: oneOf(["basic", "auto", "stealth", "enhanced"]).default("auto"),
  maxAge: int().min(0).optional(),
  storeInCache: flag(true),
  parsers: array(union([literal("pdf"), pdf]))
    .min(1)
    .max(1)
    .default(["pdf"]),
};

/** Fields that a webhook cannot set: those of the connection, and those of the post itself. */
const OWN_FIELDS = new Set([...HOP_BY_HOP_FIELDS, "content-encoding", "content-type", "host", "x-firecrawl-signature"]);

const fields = record(
  string()
    .max(100)
    .regex(/^[!#$%&'*+.^_`|~\w-]+$/, "must be the name of a field")
    .toLowerCase()
    .refine((name) => !OWN_FIELDS.has(name), "is a field that the service sets itself"),
  string()
    .max(2_000)
    .regex(/^[\t\x20-\x7e]*$/, "must be printable ASCII"),
).refine((all) => Object.keys(all).length <= MAX_FIELDS, `must have at most ${MAX_FIELDS} fields`);

const event = string()
  .transform((name) => name.replace(/^(?:crawl|batch_scrape)\./, ""))
  .pipe(oneOf(["started", "page", "completed", "failed"]));

/** A receiver of events. A cancelled job is a failed one, because Firecrawl has no event for it. */
const webhook = union([
  receiver.shape.url.transform((url) => ({ url, headers: {} })),
  receiver.extend({
    headers: fields.optional(),
    events: array(event)
      .min(1)
      .max(10)
      .transform((types) => types.flatMap((type) => (type === "failed" ? [type, "cancelled" as const] : [type])))
      .optional(),
  }),
])
  .nullish()
  .transform((value) => value ?? undefined);

const path = array(text(MAX_PATTERN_LENGTH, 1)).max(MAX_PATTERNS).default([]);

const CRAWL = {
  url: pageUrl,
  limit: whole(1, MAX_PAGES).default(MAX_PAGES),
  maxDiscoveryDepth: whole(0, 50).default(50),
  includePaths: path,
  excludePaths: path,
  sitemap: oneOf(["include", "only", "skip"]).default("include"),
  ignoreQueryParameters: flag(),
  crawlEntireDomain: flag(),
  allowExternalLinks: flag(),
  allowSubdomains: flag(),
  delay: number().min(0).max(60).default(0),
  maxConcurrency: int().min(1).default(8),
  deduplicateSimilarURLs: flag(true),
  webhook,
  /** Options of version 1, which some programs also send to version 2. */
  maxDepth: whole(0, 50).optional(),
  allowBackwardLinks: flag(),
  ignoreSitemap: flag(),
};

const MAP = {
  url: pageUrl,
  search: visibleText(500).optional(),
  sitemap: CRAWL.sitemap,
  includeSubdomains: flag(true),
  ignoreQueryParameters: flag(true),
  limit: whole(1, MAX_LINKS).default(5_000),
  timeout: whole(1_000, MAX_TIMEOUT_MS).default(60_000),
};

const EXTRACT = {
  urls: array(string().refine((url) => !url.endsWith("*"), "must be one page: a wildcard is not supported here"))
    .min(1)
    .max(MAX_EXTRACTED),
  schema: FIELDS.schema.optional(),
  prompt: FIELDS.prompt,
  showSources: flag(),
  ignoreInvalidURLs: flag(true),
};

const SEARCH = {
  query: visibleText(500),
  limit: whole(1, MAX_RESULTS).default(10),
  includeDomains: array(string()).max(1, "is not supported here with more than one host").default([]),
  excludeDomains: array(string()).max(MAX_HOSTS).default([]),
  tbs: string()
    .regex(
      /^(?:qdr:[dwmy]|cdr:1,cd_min:\d{1,2}\/\d{1,2}\/\d{4},cd_max:\d{1,2}\/\d{1,2}\/\d{4})$/,
      "is not supported in this form",
    )
    .optional(),
  /** An option of version 1. */
  lang: string().optional(),
  timeout: MAP.timeout,
};

/** Options that any body may have, which change nothing: they name the program that calls. */
const NAMES = { origin: string().optional(), integration: string().nullish() };

const page = strictObject({ ...refusing(REFUSED_PAGE), ...NAMES, ...PAGE });

export type PageOptions = Output<typeof page>;

export const scrapeBody = strictObject({ ...page.shape, ...refusing(REFUSED_BODY), url: pageUrl });

/** The part `options` of the form with a file. */
export const parseOptions = strictObject({ ...page.shape, ...refusing(REFUSED_BODY) });

export type DocumentWebhook = NonNullable<Output<typeof webhook>>;

export const crawlBody = strictObject({
  ...refusing(REFUSED_CRAWL),
  ...NAMES,
  ...CRAWL,
  scrapeOptions: page.prefault({}),
});

/** The body of a batch. Its addresses are checked one by one. */
export const batchBody = strictObject({
  ...page.shape,
  ...refusing(REFUSED_BATCH),
  urls: array(string()).min(1).max(MAX_PAGES),
  ignoreInvalidURLs: flag(true),
  maxConcurrency: CRAWL.maxConcurrency,
  webhook,
});

/** The body of an extraction. The pages have no other formats than its fields. */
export const extractBody = strictObject({
  ...refusing(REFUSED_EXTRACT),
  ...NAMES,
  ...EXTRACT,
  scrapeOptions: page.omit({ formats: true }).prefault({}),
});

export const mapBody = strictObject({ ...refusing(REFUSED_MAP), ...NAMES, ...MAP });

export const searchBody = strictObject({
  ...refusing(REFUSED_SEARCH),
  ...NAMES,
  ...SEARCH,
  scrapeOptions: page.optional(),
})
  .refine(({ limit, scrapeOptions }) => scrapeOptions === undefined || limit <= MAX_LOADED, {
    path: ["limit"],
    message: `must be at most ${MAX_LOADED} with scrapeOptions`,
  })
  .refine(({ includeDomains, excludeDomains }) => includeDomains.length === 0 || excludeDomains.length === 0, {
    path: ["includeDomains"],
    message: "must not be together with excludeDomains",
  });
