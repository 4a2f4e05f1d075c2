// Made of the API's description by scripts/generate.ts; changes here are lost.
import { type CallOptions, type OperationTarget, type TurnpikeFile } from "./call.ts";

/** How a page is loaded: part of each request for pages */
export interface PageOptions {
  /** CSS selector of an element to wait for before acting */
  readonly selector?: string | undefined;
  /** Present the fingerprint of an ordinary browser to the page; default false */
  readonly stealth?: boolean | undefined;
  /** Page load timeout in seconds; default 30 */
  readonly timeout?: number | undefined;
  /** Custom User-Agent */
  readonly user_agent?: string | undefined;
  /** Extra seconds to wait after the page event; not counted in the timeout */
  readonly wait?: number | undefined;
  /** Page event to wait for; default "load" */
  readonly wait_until?: "load" | "domcontentloaded" | "networkidle0" | undefined;
  /** Engine that loads the page; auto uses a browser only if the page or the request needs one; default "auto" */
  readonly engine?: "auto" | "static" | "browser" | undefined;
  /** At the timeout, return the content so far instead of an error; default false */
  readonly partial?: boolean | undefined;
  /** Statuses from 400 on with which the page is content and no error: a list such as [404, "500-599"], or "any" */
  readonly accept_status?: "any" | readonly (number | string)[] | undefined;
  /** Header fields for the page's origin; redirects to other origins drop them */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Cookies for the page's host */
  readonly cookies?: readonly Cookie[] | undefined;
  readonly basic_auth?: BasicAuth | undefined;
  /** Method of the request for the page; default "GET" */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | undefined;
  /** Body of the request; a form, unless headers has another Content-Type */
  readonly body?: string | undefined;
  /** Language that the page is asked for */
  readonly language?: string | undefined;
  /** Time zone of the browser */
  readonly timezone?: string | undefined;
  readonly geolocation?: Geolocation | undefined;
  readonly viewport?: Viewport | undefined;
  /** Proxy of your own (http or socks5 URL), or the name of one of the operator */
  readonly proxy?: string | undefined;
  /** Steps in a browser before the page is read; each has a timeout in seconds */
  readonly actions?:
    | readonly (
        | ClickAction
        | HoverAction
        | FillAction
        | WriteAction
        | PressAction
        | SelectAction
        | ScrollAction
        | WaitAction
        | ScreenshotAction
        | ScrapeAction
        | EvaluateAction
      )[]
    | undefined;
  /** Add a picture of the page to the error of a step; default false */
  readonly action_screenshot?: boolean | undefined;
}

/** What is read of a page: part of requests with `formats` */
export interface ContentOptions extends PageOptions {
  /** Output format; default "markdown" */
  readonly format?: "html" | "markdown" | "text" | "links" | undefined;
  /** Maximum content length in characters; longer content is cut */
  readonly max_length?: number | undefined;
  /** Several formats in one visit, as members of `results`; `content` is then empty */
  readonly formats?:
    | readonly (
        | "markdown"
        | "html"
        | "text"
        | "links"
        | "images"
        | "metadata"
        | "summary"
        | "raw"
        | "branding"
        | "pdf"
        | "screenshot"
        | Format
        | SummaryFormat
        | ScreenshotFormat
        | JsonFormat
      )[]
    | undefined;
  /** Only the main content, without navigation and side columns; default false */
  readonly only_main_content?: boolean | undefined;
  /** CSS selectors of the only elements that are read */
  readonly include_selectors?: readonly string[] | undefined;
  /** CSS selectors of elements that are not read */
  readonly exclude_selectors?: readonly string[] | undefined;
  /** Keep pictures whose data stands in the page as base64; by default they are left out; default false */
  readonly inline_images?: boolean | undefined;
  /** Seconds: accept a page that was loaded this long ago for any caller, and keep it for others; 0 only keeps it */
  readonly max_age?: number | undefined;
  /** With max_age: do not keep the page for others, who could see that it was requested; default false */
  readonly private?: boolean | undefined;
  readonly changes?: Changes | undefined;
}

/** How a page is loaded in a session: part of requests for one */
export interface SessionOptions extends PageOptions {
  /** Id of a session of POST /sessions: the page gets its cookies, localStorage and IndexedDB, and leaves its own there */
  readonly session?: string | undefined;
  /** Its secret, if X-Session-Secret does not have it */
  readonly session_secret?: string | undefined;
}

/** How a picture is taken: part of requests, formats and steps */
export interface PictureOptions {
  /** Image format; default "png" */
  readonly format?: "png" | "jpeg" | "webp" | undefined;
  /** Capture the whole page after scrolling through it, not only the window; at most 16,383 pixels wide, 30,000 high (webp: 16,383) and 40 million in all; default false */
  readonly full_page?: boolean | undefined;
  /** Compression quality, only for jpeg and webp; 80 by default, and a webp of 100 is lossless */
  readonly quality?: number | undefined;
}

/** Where fields stand in a page: part of bodies with fields */
export interface FieldPlaces {
  /** With a schema: the place of each value, by JSON Pointer of the field */
  readonly sources?: Readonly<Record<string, FieldSource>> | undefined;
  /** With a schema: the fields that are null, by JSON Pointer, each with the reason */
  readonly missing?:
    | readonly {
        readonly path: string;
        readonly reason: string;
      }[]
    | undefined;
  /** With an extractor: fields that are not at their learned places, by JSON Pointer */
  readonly drift?: readonly string[] | undefined;
}

/** The response body of `search` */
export interface SearchResponse {
  readonly query: string;
  readonly results: readonly {
    readonly title: string;
    readonly url: string;
    readonly snippet: string;
  }[];
  readonly metadata: SearchMetadata;
}

/** Facts about a search */
export interface SearchMetadata {
  /** Length of all results as JSON in bytes, before the cut */
  readonly content_length: number;
  /** Time taken, in milliseconds */
  readonly elapsed_ms: number;
  /** Whether there were more results than count */
  readonly truncated: boolean;
  /** The search providers that responded */
  readonly providers: readonly string[];
  /** Whether the results come from the cache */
  readonly cached: boolean;
}

/** RFC 9457 problem details */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** The request's X-Request-Id */
  readonly instance?: string | undefined;
  readonly errors?:
    | readonly {
        readonly path: string;
        readonly message: string;
      }[]
    | undefined;
  /** The HTTP status of the page's server */
  readonly page_status?: number | undefined;
}

/** The request body of `search` */
export interface SearchRequest {
  /** Search query: words, phrases in quotation marks, and -words */
  readonly query: string;
  /** Number of results on a page; default 10 */
  readonly count?: number | undefined;
  /** Page of results; page × count is at most 200; default 1 */
  readonly page?: number | undefined;
  /** Host whose pages are wanted, with its subdomains */
  readonly site?: string | undefined;
  /** Hosts whose pages are left out, with their subdomains */
  readonly exclude_site?: readonly string[] | undefined;
  /** First day of publication */
  readonly after?: string | undefined;
  /** Last day of publication */
  readonly before?: string | undefined;
  /** Language of results, by ISO 639-1 */
  readonly lang?: string | undefined;
  /** Search timeout in seconds; default 30 */
  readonly timeout?: number | undefined;
}

/** The response body of `search_content` */
export interface SearchContentResponse {
  readonly query: string;
  readonly results: readonly SearchContentResult[];
  readonly metadata: SearchContentMetadata;
}

/** A result, with the content of its page if it was read */
export interface SearchContentResult {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
  /** Main content of a page that was read */
  readonly content?: string | undefined;
  /** Whether the content was cut to max_length */
  readonly truncated?: boolean | undefined;
  /** Reason why the page was not read */
  readonly error?: string | undefined;
  /** The problem type of the error */
  readonly error_type?: string | undefined;
}

/** Facts about a search and its pages */
export interface SearchContentMetadata extends SearchMetadata {
  /** Number of pages with content */
  readonly pages_read: number;
}

/** The request body of `search_content` */
export interface SearchContentRequest extends SearchRequest {
  /** Format of the contents */
  readonly content: "markdown";
  /** Number of first results that are read; default 3 */
  readonly pages?: number | undefined;
  /** Maximum length of a page's content in characters; longer content is cut; default 20000 */
  readonly max_length?: number | undefined;
}

/** The response body of `map` */
export interface MapResponse {
  readonly url: string;
  readonly links: readonly MapLink[];
  readonly metadata: MapMetadata;
}

/** An address of a site */
export interface MapLink {
  readonly url: string;
  /** Title of the page, or the text of a link to it */
  readonly title?: string | undefined;
  /** Date of the last change, from the sitemap */
  readonly modified?: string | undefined;
}

/** Facts about a map */
export interface MapMetadata {
  /** Time taken, in milliseconds */
  readonly elapsed_ms: number;
  /** Whether there are more addresses than limit */
  readonly truncated: boolean;
  /** Whether the timeout came before the end of the site's sitemaps */
  readonly partial: boolean;
  /** Number of addresses that were left out because robots.txt forbids them */
  readonly forbidden: number;
}

/** The request body of `map` */
export interface MapRequest {
  /** Any address of the site; http and https only */
  readonly url: string;
  /** Only addresses that contain one of these words, or whose title does; the best first */
  readonly search?: string | undefined;
  /** Maximum number of addresses; default 5000 */
  readonly limit?: number | undefined;
  /** Also addresses of hosts below the site's; default false */
  readonly subdomains?: boolean | undefined;
  /** Return addresses without their query, each once; default false */
  readonly ignore_query?: boolean | undefined;
  /** Regular expressions; only paths that one of them matches anywhere are returned */
  readonly include_paths?: readonly string[] | undefined;
  /** Regular expressions; paths that one of them matches anywhere are left out */
  readonly exclude_paths?: readonly string[] | undefined;
  /** Use of the site's sitemaps beside its first pages and the search index; default "include" */
  readonly sitemap?: "include" | "only" | "skip" | undefined;
  /** Time for all of it, in seconds; default 30 */
  readonly timeout?: number | undefined;
}

/** A job that was started */
export interface StartedJob {
  /** Name of the job */
  readonly id: string;
  /** The value of X-Job-Secret in requests about this job; shown only here */
  readonly secret: string;
  /** The secret that signs the job's webhooks */
  readonly webhook_secret?: string | undefined;
  /** Path of the job's state; DELETE cancels it */
  readonly status: string;
  /** Path of the job's results */
  readonly results: string;
}

/** The request body of `crawl` */
export interface CrawlRequest extends ContentOptions {
  /** Addresses at which the crawl begins; their hosts are the site */
  readonly urls: readonly string[];
  /** Maximum number of delivered pages; default 100 */
  readonly limit?: number | undefined;
  /** Maximum number of links from a start to a page; default 20 */
  readonly max_depth?: number | undefined;
  /** Regular expressions; only linked pages whose path one of them matches anywhere are loaded */
  readonly include_paths?: readonly string[] | undefined;
  /** Regular expressions; linked pages whose path one of them matches anywhere are not loaded */
  readonly exclude_paths?: readonly string[] | undefined;
  /** Also pages of hosts below the site's; default false */
  readonly subdomains?: boolean | undefined;
  /** Also pages of other sites that the site links to; their links are not followed; default false */
  readonly external?: boolean | undefined;
  /** Load addresses without their query, each once; default false */
  readonly ignore_query?: boolean | undefined;
  /** Use of the site's sitemaps beside the links of its pages; default "include" */
  readonly sitemap?: "include" | "only" | "skip" | undefined;
  /** Do not deliver pages that ask not to be indexed; default false */
  readonly skip_noindex?: boolean | undefined;
  /** Pages whose text is nearly that of another page: deliver them, or skip those with the same path (on another host, or with another query), or all of them; default "same-path" */
  readonly near_duplicates?: "deliver" | "same-path" | "skip" | undefined;
  /** Minimum seconds between two requests to a host; default 0 */
  readonly delay?: number | undefined;
  /** Maximum number of pages loaded at a time by each content service; default 8 */
  readonly concurrency?: number | undefined;
  /** Deliver only pages that are new or changed since your last crawl with the same format; default false */
  readonly only_changed?: boolean | undefined;
  /** The most that the job may cost, in the smallest unit of the asset; it ends with the reason max-price before that */
  readonly max_price?: string | undefined;
  readonly webhook?: Webhook | undefined;
}

export interface Cookie {
  readonly name: string;
  readonly value: string;
  /** The page's host or a domain above it, for its subdomains too */
  readonly domain?: string | undefined;
  /** default "/" */
  readonly path?: string | undefined;
  /** Only by https; by default if the page's URL is https */
  readonly secure?: boolean | undefined;
}

/** User name and password for the page's origin */
export interface BasicAuth {
  readonly username: string;
  readonly password: string;
}

/** Position that the browser reports */
export interface Geolocation {
  readonly latitude: number;
  readonly longitude: number;
  /** default 50 */
  readonly accuracy?: number | undefined;
}

/** Size of the browser's window; mobile is a touch screen, and asks as a phone */
export interface Viewport {
  readonly width: number;
  readonly height: number;
  /** default 1 */
  readonly scale?: number | undefined;
  /** default false */
  readonly mobile?: boolean | undefined;
}

export interface ClickAction {
  readonly type: "click";
  readonly selector: string;
  /** Each element that matches, up to 20; default false */
  readonly all?: boolean | undefined;
  /** default "left" */
  readonly button?: "left" | "right" | "middle" | undefined;
  /** default 1 */
  readonly clicks?: number | undefined;
  /** default 10 */
  readonly timeout?: number | undefined;
}

export interface HoverAction {
  readonly type: "hover";
  readonly selector: string;
  /** default 10 */
  readonly timeout?: number | undefined;
}

export interface FillAction {
  readonly type: "fill";
  readonly selector: string;
  readonly text: string;
  /** default 10 */
  readonly timeout?: number | undefined;
}

export interface WriteAction {
  readonly type: "write";
  readonly text: string;
  /** default 10 */
  readonly timeout?: number | undefined;
}

export interface PressAction {
  readonly type: "press";
  readonly key: string;
  /** default 10 */
  readonly timeout?: number | undefined;
}

export interface SelectAction {
  readonly type: "select";
  readonly selector: string;
  /** Values or texts of options */
  readonly values: readonly string[];
  /** default 10 */
  readonly timeout?: number | undefined;
}

export interface ScrollAction {
  readonly type: "scroll";
  /** Element that is scrolled; by default the page */
  readonly selector?: string | undefined;
  /** default "down" */
  readonly direction?: "down" | "up" | undefined;
  /** Windows; by default to the end, also of a list that grows */
  readonly times?: number | undefined;
  /** default 10 */
  readonly timeout?: number | undefined;
}

export interface WaitAction {
  readonly type: "wait";
  /** Not counted in the timeouts */
  readonly milliseconds?: number | undefined;
  readonly selector?: string | undefined;
  readonly state?: "visible" | "attached" | "gone" | undefined;
  readonly text?: string | undefined;
  /** Until no request was in progress for half a second */
  readonly quiet?: true | undefined;
  /** default 10 */
  readonly timeout?: number | undefined;
}

export interface ScreenshotAction extends PictureOptions {
  readonly type: "screenshot";
  /** default 10 */
  readonly timeout?: number | undefined;
}

export interface ScrapeAction {
  readonly type: "scrape";
  /** default 10 */
  readonly timeout?: number | undefined;
}

export interface EvaluateAction {
  readonly type: "evaluate";
  readonly script: string;
  /** default 10 */
  readonly timeout?: number | undefined;
}

export interface Format {
  readonly type:
    | "markdown"
    | "html"
    | "text"
    | "links"
    | "images"
    | "metadata"
    | "summary"
    | "raw"
    | "branding"
    | "pdf";
}

export interface SummaryFormat {
  readonly type: "summary";
  /** model: a language model, if the service has one and it succeeds */
  readonly by: "sentences" | "model";
}

export interface ScreenshotFormat extends PictureOptions {
  readonly type: "screenshot";
  /** Viewport width in pixels; default 1280 */
  readonly width?: number | undefined;
  /** Viewport height in pixels; default 720 */
  readonly height?: number | undefined;
}

export interface JsonFormat {
  readonly type: "json";
  /** JSON Schema (2020-12) of an object: the fields to find in the page, by names and descriptions */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Language tag by which numbers and dates are read; default: that of the page */
  readonly locale?: string | undefined;
  /** With a schema, and if the service has a language model: what the model should know of the fields */
  readonly prompt?: string | undefined;
  /** With a schema: only values that a reader of the page sees; default false */
  readonly shown_only?: boolean | undefined;
}

/** Compare the page with a version that you received before, and keep it for the next time */
export interface Changes {
  /** The version to compare with: the last one, or the one of this time; default "last" */
  readonly since?: string | undefined;
  /** A unified diff of the content, or the changed members of content that is JSON; default "diff" */
  readonly mode?: "diff" | "fields" | undefined;
}

/** Sends the events of the job, signed with the `webhook_secret` of the response */
export interface Webhook {
  /** Receiver of the events, by POST */
  readonly url: string;
  /** Types of events that are sent; absent for all */
  readonly events?: readonly ("started" | "page" | "completed" | "failed" | "cancelled")[] | undefined;
  /** Texts that each event repeats */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** The response body of `scrape` */
export interface ScrapeResponse {
  readonly url: string;
  readonly format: string;
  /** The content in `format`; empty with `formats` */
  readonly content: string;
  readonly results?: PageFormats | undefined;
  /** What each step has made, in their order */
  readonly actions?: readonly ActionResult[] | undefined;
  readonly metadata: Metadata;
  readonly changes?: PageChanges | undefined;
}

/** The requested formats of a page */
export interface PageFormats {
  readonly markdown?: string | undefined;
  /** The content as HTML with absolute addresses */
  readonly html?: string | undefined;
  readonly text?: string | undefined;
  readonly links?:
    | readonly {
        readonly url: string;
        readonly text: string;
      }[]
    | undefined;
  /** Pictures with their alternative texts */
  readonly images?:
    | readonly {
        readonly url: string;
        readonly text: string;
      }[]
    | undefined;
  /** Texts of `meta` elements by name */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Sentences that say most of the page */
  readonly summary?: string | undefined;
  /** sentences: they stand in the page; model: they are a language model's */
  readonly summary_by?: "sentences" | "model" | undefined;
  /** The document as it came; with the browser engine, as it stands after its scripts ran */
  readonly raw?:
    | {
        readonly content_type: string;
        readonly text?: string | undefined;
        readonly base64?: string | undefined;
      }
    | undefined;
  /** Colours, fonts and logo that the page shows */
  readonly branding?:
    | {
        readonly colors: {
          readonly background?: string | undefined;
          readonly text?: string | undefined;
          readonly link?: string | undefined;
          readonly primary?: string | undefined;
          readonly accent?: string | undefined;
          readonly palette?: readonly string[] | undefined;
        };
        readonly fonts: {
          readonly body?: string | undefined;
          readonly heading?: string | undefined;
          readonly families?: readonly string[] | undefined;
        };
        readonly logo?: string | undefined;
        readonly logo_svg?: string | undefined;
        readonly favicon?: string | undefined;
        readonly image?: string | undefined;
        readonly name?: string | undefined;
        readonly button?:
          | {
              readonly text?: string | undefined;
              readonly background?: string | undefined;
              readonly border_radius?: string | undefined;
              readonly font?: string | undefined;
            }
          | undefined;
        readonly color_scheme?: "light" | "dark" | undefined;
      }
    | undefined;
  readonly json?: PageFields | undefined;
  readonly screenshot?:
    | {
        readonly content_type: string;
        readonly base64: string;
        readonly truncated: boolean;
      }
    | undefined;
  readonly pdf?:
    | {
        readonly content_type: string;
        readonly base64: string;
      }
    | undefined;
}

/** The fields of a schema, with their places */
export interface PageFields extends FieldPlaces {
  readonly data: Readonly<Record<string, unknown>>;
}

/** Where a value stands in the page */
export interface FieldSource {
  readonly from:
    | "json-ld"
    | "microdata"
    | "rdfa"
    | "meta"
    | "table"
    | "definition-list"
    | "label"
    | "class"
    | "heading"
    | "link"
    | "text"
    | "selector"
    | "model";
  /** CSS selector of the element */
  readonly selector: string;
  /** JSON Pointer of the value in the element's JSON-LD */
  readonly pointer?: string | undefined;
  /** The element's attribute that has the value */
  readonly attribute?: string | undefined;
  /** The text that states the value */
  readonly quote: string;
  /** Whether a reader of the page sees the value */
  readonly shown: boolean;
  /** A value of the structured data that the visible text contradicts */
  readonly conflict?: unknown;
}

/** What a step has made */
export interface ActionResult {
  readonly type: string;
  /** Address of the page after the step */
  readonly url: string;
  readonly title: string;
  /** Result of a script, as text or JSON */
  readonly value?: string | undefined;
  /** The page at that time as Markdown */
  readonly content?: string | undefined;
  /** Pixels of the page after a scroll */
  readonly height?: number | undefined;
  readonly screenshot?:
    | {
        readonly content_type: string;
        readonly base64: string;
      }
    | undefined;
  /** Dialogs, which were dismissed */
  readonly dialogs?:
    | readonly {
        readonly type: string;
        readonly message: string;
      }[]
    | undefined;
  /** Windows that the page wanted to open; none is opened */
  readonly windows?: readonly string[] | undefined;
}

/** Facts about the load of a page */
export interface Metadata {
  /** Length of the content in bytes, before it was cut */
  readonly content_length: number;
  /** Time taken to load and read the page, in milliseconds */
  readonly elapsed_ms: number;
  /** Whether the content was cut to max_length */
  readonly truncated: boolean;
  /** HTTP status of the page's server; a failed page has it only if it failed because of this status */
  readonly status?: number | undefined;
  /** The page's address after redirects */
  readonly final_url?: string | undefined;
  /** Type of the page's document */
  readonly content_type?: string | undefined;
  /** Title of the page */
  readonly title?: string | undefined;
  /** Author of the article, if the page names one */
  readonly byline?: string | undefined;
  /** Publication date of the article, if the page has one */
  readonly published?: string | undefined;
  /** Language of the article, if the page declares it */
  readonly language?: string | undefined;
  /** Name of the site, if the page has it */
  readonly site_name?: string | undefined;
  /** The page's canonical address */
  readonly canonical_url?: string | undefined;
  /** Address of the article's lead picture, if the page names one */
  readonly image?: string | undefined;
  /** Confidence that this is the main content and nothing else: the expected F1 score over words */
  readonly confidence?: number | undefined;
  /** True if the timeout came before the end of the page, or pages of a long document are missing */
  readonly partial?: boolean | undefined;
  /** Present if the text was recognised in pictures: their number, and the mean confidence of its words */
  readonly ocr?:
    | {
        readonly pages: number;
        readonly confidence: number;
      }
    | undefined;
  /** True if the page was loaded for an earlier request */
  readonly cached?: boolean | undefined;
  /** Seconds since the server of a cached page sent or confirmed it */
  readonly age?: number | undefined;
  readonly ai_terms?: AiTerms | undefined;
  /** Engine that loaded the page */
  readonly engine?: "static" | "browser" | undefined;
}

/** Terms of the site for the use of the page by AI, if it states some */
export interface AiTerms {
  /** Content-Signal of robots.txt: by use, whether it is allowed */
  readonly signals?: Readonly<Record<string, boolean>> | undefined;
  /** Whether text and data mining is reserved (TDMRep) */
  readonly tdm_reserved?: boolean | undefined;
  /** Address of the policy for text and data mining */
  readonly tdm_policy?: string | undefined;
  /** Address of an RSL licence */
  readonly license?: string | undefined;
  /** Uses that the licence does not grant for free, if it was read */
  readonly license_denies?: readonly string[] | undefined;
}

/** Difference to an older version, if the request has `changes` */
export interface PageChanges {
  readonly state: "new" | "same" | "changed" | "removed";
  /** Time from which on the older version is known */
  readonly compared_with?: string | undefined;
  /** Unified diff of the content */
  readonly diff?: string | undefined;
  /** Changed members, by JSON Pointer */
  readonly fields?:
    | readonly {
        readonly path: string;
        readonly before?: unknown;
        readonly after?: unknown;
      }[]
    | undefined;
  /** True if the diff or the list is cut */
  readonly truncated?: boolean | undefined;
}

/** The request body of `scrape` */
export interface ScrapeRequest extends ContentOptions {
  /** Page to load; http and https only */
  readonly url: string;
  /** Id of a session of POST /sessions: the page gets its cookies, localStorage and IndexedDB, and leaves its own there */
  readonly session?: string | undefined;
  /** Its secret, if X-Session-Secret does not have it */
  readonly session_secret?: string | undefined;
  /** JavaScript expression evaluated on the page; its result takes the place of the content */
  readonly evaluate?: string | undefined;
  /** Read the files of the site with its terms for use by AI, and show them in metadata; default false */
  readonly ai_terms?: boolean | undefined;
}

/** The response body of `batch` */
export interface BatchResponse {
  /** One for each URL, in their order */
  readonly results: readonly BatchResult[];
  /** Time taken for all, in milliseconds */
  readonly total_time_ms: number;
}

/** The content of one page, or the error instead of it */
export interface BatchResult {
  readonly url: string;
  readonly format: string;
  /** The page's content; empty with `formats`, or if this page failed */
  readonly content: string;
  readonly results?: PageFormats | undefined;
  /** What each step has made, in their order */
  readonly actions?: readonly ActionResult[] | undefined;
  readonly metadata: Metadata;
  /** Reason of the failure; only if this page failed */
  readonly error?: string | undefined;
  /** The problem type of the error */
  readonly error_type?: string | undefined;
  readonly changes?: PageChanges | undefined;
}

/** The request body of `batch` */
export interface BatchRequest extends ContentOptions {
  /** Pages to load */
  readonly urls: readonly string[];
  /** Load the pages as a job, for up to 10,000 addresses; otherwise up to 20; default false */
  readonly async?: boolean | undefined;
  /** JavaScript expression evaluated on the page; its result takes the place of the content */
  readonly evaluate?: string | undefined;
  /** Read the files of the site with its terms for use by AI, and show them in metadata; default false */
  readonly ai_terms?: boolean | undefined;
  /** The most that the job may cost, in the smallest unit of the asset; it ends with the reason max-price before that */
  readonly max_price?: string | undefined;
  readonly webhook?: Webhook | undefined;
}

/** The response body of `extract` */
export interface ExtractResponse extends FieldPlaces {
  readonly url: string;
  /** By name. With selectors: a string for one element, an array for several, null for none. With a schema: the fields, null for those that the page does not state */
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: Metadata;
  /** What each step has made, in their order */
  readonly actions?: readonly ActionResult[] | undefined;
  readonly extractor?: LearnedExtractor | undefined;
  /** With `urls`: one for each page, in their order; the other members are those of the first one that succeeded */
  readonly results?: readonly ExtractResult[] | undefined;
}

/** With `learn`: the places of fields that all pages share */
export interface LearnedExtractor {
  /** The value of `extractor` in later requests */
  readonly id: string;
  /** By JSON Pointer of the field */
  readonly rules: Readonly<Record<string, FieldRule>>;
}

/** The learned place of a field: beside a label, or at a CSS selector */
export interface FieldRule {
  readonly label?: string | undefined;
  readonly selector?: string | undefined;
  readonly attribute?: string | undefined;
  readonly pointer?: string | undefined;
}

/** The data of one page, or the error instead of them */
export interface ExtractResult extends FieldPlaces {
  readonly url: string;
  /** By name. With selectors: a string for one element, an array for several, null for none. With a schema: the fields, null for those that the page does not state */
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: Metadata;
  /** What each step has made, in their order */
  readonly actions?: readonly ActionResult[] | undefined;
  /** Reason of the failure; only if this page failed */
  readonly error?: string | undefined;
  /** The problem type of the error */
  readonly error_type?: string | undefined;
}

/** The request body of `extract` */
export interface ExtractRequest extends SessionOptions {
  /** Page to load; http and https only */
  readonly url?: string | undefined;
  /** Several pages, in place of `url`; each is paid for if it has all required fields */
  readonly urls?: readonly string[] | undefined;
  /** CSS selectors by the names that their results get. `selector@attribute` gives an attribute's values in place of texts */
  readonly selectors?: Readonly<Record<string, string>> | undefined;
  /** JSON Schema (2020-12) of an object: the fields to find in the page, by names and descriptions */
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
  /** Language tag by which numbers and dates are read; default: that of the page */
  readonly locale?: string | undefined;
  /** With a schema, and if the service has a language model: what the model should know of the fields */
  readonly prompt?: string | undefined;
  /** With a schema: only values that a reader of the page sees; default false */
  readonly shown_only?: boolean | undefined;
  /** With a schema and 2 to 5 pages of one template: keep the places of the fields as an extractor; default false */
  readonly learn?: boolean | undefined;
  /** With learn: right values of each page, in the order of `urls`, in the form of `data` */
  readonly confirmed?: readonly Readonly<Record<string, unknown>>[] | undefined;
  /** Id of a learned extractor, in place of `schema` */
  readonly extractor?: string | undefined;
}

/** The response body of `read` */
export interface ReadResponse {
  readonly url: string;
  readonly title: string;
  readonly content: string;
  readonly metadata: Metadata;
  /** What each step has made, in their order */
  readonly actions?: readonly ActionResult[] | undefined;
  readonly changes?: PageChanges | undefined;
}

/** The request body of `read` */
export interface ReadRequest extends SessionOptions {
  /** Page to load; http and https only */
  readonly url: string;
  /** Seconds: accept a page that was loaded this long ago for any caller, and keep it for others; 0 only keeps it */
  readonly max_age?: number | undefined;
  /** With max_age: do not keep the page for others, who could see that it was requested; default false */
  readonly private?: boolean | undefined;
  readonly changes?: Changes | undefined;
  /** Read the files of the site with its terms for use by AI, and show them in metadata; default false */
  readonly ai_terms?: boolean | undefined;
  /** Maximum content length in characters; longer content is cut */
  readonly max_length?: number | undefined;
  /** Also return the readers' comments below an article; default false */
  readonly comments?: boolean | undefined;
}

/** The response body of `parse` */
export interface ParseResponse {
  readonly format: string;
  readonly content: string;
  readonly metadata: Metadata;
  readonly words?: readonly OcrWord[] | undefined;
}

/** A word in a picture, with its box in pixels from the top left corner */
export interface OcrWord {
  /** From 1 on */
  readonly page: number;
  readonly text: string;
  readonly confidence: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The request body of `parse` */
export interface ParseRequest {
  /** The file in base64 */
  readonly file: string;
  /** Media type of a text file, such as text/csv; the bytes of other files say what they are */
  readonly content_type?: string | undefined;
  /** Output format; default "markdown" */
  readonly format?: "html" | "markdown" | "text" | "links" | undefined;
  /** Maximum content length in characters; longer content is cut */
  readonly max_length?: number | undefined;
  /** Also return the words that were recognised in pictures, with their boxes; default false */
  readonly words?: boolean | undefined;
  /** Time for reading the file in seconds; default 30 */
  readonly timeout?: number | undefined;
}

/** The request body of `pdf` */
export interface PdfRequest extends SessionOptions {
  /** Page to load; http and https only */
  readonly url: string;
  /** Landscape orientation; default false */
  readonly landscape?: boolean | undefined;
  /** Print background colours and images; default true */
  readonly print_background?: boolean | undefined;
  /** Render scale; default 1 */
  readonly scale?: number | undefined;
  /** Paper width in inches; default 8.5 */
  readonly paper_width?: number | undefined;
  /** Paper height in inches; default 11 */
  readonly paper_height?: number | undefined;
  /** Top margin in inches; 0.4 by default */
  readonly margin_top?: number | undefined;
  /** Bottom margin in inches; 0.4 by default */
  readonly margin_bottom?: number | undefined;
  /** Left margin in inches; 0.4 by default */
  readonly margin_left?: number | undefined;
  /** Right margin in inches; 0.4 by default */
  readonly margin_right?: number | undefined;
}

/** The request body of `screenshot` */
export interface ScreenshotRequest extends SessionOptions, PictureOptions {
  /** Page to load; http and https only */
  readonly url: string;
  /** Viewport width in pixels; default 1280 */
  readonly width?: number | undefined;
  /** Viewport height in pixels; default 720 */
  readonly height?: number | undefined;
}

/** The response body of `resolve` */
export interface ResolveResponse {
  readonly question: string;
  /** Of YES; at least 0.01 and at most 0.99 */
  readonly probability: number;
  readonly verdict: "YES" | "LIKELY_YES" | "UNCERTAIN" | "LIKELY_NO" | "NO";
  readonly confidence: "high" | "medium" | "low";
  /** The reasons, with the numbers of the evidence from 1, and the pages that could not be read */
  readonly reasoning: string;
  readonly evidence: readonly Evidence[];
  /** The sources that were read; pages that repeat the text of another are not among them */
  readonly sources_consulted: readonly {
    readonly title: string;
    readonly url: string;
  }[];
  readonly metadata: ResolveMetadata;
}

/** A statement of a source, and the outcome that it supports */
export interface Evidence {
  /** A statement of the source, word for word */
  readonly claim: string;
  /** Title of the source */
  readonly source: string;
  readonly supports: "YES" | "NO" | "NEUTRAL";
  readonly url: string;
}

/** Facts about the work on a question */
export interface ResolveMetadata {
  /** Time taken, in milliseconds */
  readonly elapsed_ms: number;
  /** Number of searches that got a response */
  readonly searches: number;
  /** Sources that were read */
  readonly sources_read: number;
  /** Analyst that found the evidence */
  readonly analyst: "embedded" | "language model";
}

/** The request body of `resolve` */
export interface ResolveRequest {
  /** Prediction-market question */
  readonly question: string;
  /** How the market resolves YES or NO; default "" */
  readonly criteria?: string | undefined;
  /** Maximum web sources to read; default 5 */
  readonly max_sources?: number | undefined;
  /** Hint URLs to check for evidence; read before all others, also if they are more than max_sources; default [] */
  readonly sources?: readonly string[] | undefined;
  /** Timeout in seconds; the response has the result so far; default 30 */
  readonly timeout?: number | undefined;
}

/** The request body of `qr` */
export interface QrRequest {
  /** Text, URL or data to encode */
  readonly data: string;
  /** Width and height of the image in pixels; default 256 */
  readonly size?: number | undefined;
  /** Quiet zone in modules; default 2 */
  readonly margin?: number | undefined;
}

/** A session that was created */
export interface SessionResponse extends SessionState {
  /** The value of X-Session-Secret in requests about this session; shown only here */
  readonly secret: string;
}

/** The request body of `session` */
export interface SessionRequest {
  /** Seconds; default 86400 */
  readonly ttl?: number | undefined;
  /** Idle seconds; absent for `ttl` */
  readonly idle_ttl?: number | undefined;
  /** Secret of another one */
  readonly session_secret?: string | undefined;
}

/** A browser that runs */
export interface BrowserResponse extends BrowserState {
  /** The secret of the browser */
  readonly token: string;
  /** Path of the WebSocket that speaks the DevTools protocol */
  readonly connect: string;
  /** Path of a page on which people watch the browser. Its token, after #, gives no control */
  readonly view: string;
  /** The same page with another token, with which people also click, scroll and type in the browser's pages */
  readonly control: string;
}

/** The request body of `browser` */
export interface BrowserRequest {
  /** Minutes */
  readonly minutes: number;
  /** One that is to run longer */
  readonly browser?: string | undefined;
  readonly token?: string | undefined;
}

/** The state of the service and of the programs and providers that it uses */
export interface Health {
  readonly status: "ok";
  /** Version of Turnpike */
  readonly version: string;
  /** null: this machine has no browser, and pages that need one fail */
  readonly browser: {
    readonly name: string;
    readonly version: string;
    /** Whether pages run in a sandbox */
    readonly sandboxed: boolean;
  } | null;
  readonly fonts?:
    | {
        /** Kinds of text for which no font is installed */
        readonly missing: readonly ("latin" | "serif" | "mono" | "cjk" | "emoji")[];
      }
    | undefined;
  /** Search providers; a provider that is open (its circuit breaker) is not queried */
  readonly search: readonly {
    readonly name: string;
    readonly state: "closed" | "open" | "half-open";
    /** Why its newest request failed; absent if it succeeded */
    readonly last_failure?: string | undefined;
  }[];
}

/** The state of a job */
export interface JobState {
  /** Name of the job */
  readonly id: string;
  readonly state: "running" | "completed" | "cancelled" | "failed";
  /** Why it ended: `limit`, `max-price`, `bytes`, `time` or another reason; absent if all was done */
  readonly reason?: string | undefined;
  /** Maximum number of delivered pages */
  readonly limit: number;
  /** Number of delivered pages */
  readonly delivered: number;
  /** Number of pages that failed */
  readonly failed: number;
  /** Number of addresses that the job knows */
  readonly known: number;
  /** Number of known addresses that are not loaded yet */
  readonly waiting: number;
  /** Bytes of the compressed results */
  readonly bytes: number;
  /** `storage`: the service cannot store results now, because its disk or the file of jobs is full. It goes on by itself */
  readonly waits_for?: "storage" | undefined;
  /** Number of addresses that were not delivered, by the reason */
  readonly not_delivered: Readonly<Record<string, number>>;
  readonly cost?: JobCost | undefined;
  readonly webhook?: JobWebhook | undefined;
  readonly created_at: string;
  readonly ended_at?: string | undefined;
  /** Time until which the results of an ended job can be read */
  readonly expires_at?: string | undefined;
}

/** The cost of a job that is paid by its pages */
export interface JobCost {
  /** The price of the delivered pages so far */
  readonly due: string;
  /** The paid part of it. Only paid results can be read */
  readonly paid: string;
  /** The most that the job costs */
  readonly quote: string;
  /** The token of the amounts, which are in its smallest unit */
  readonly asset: string;
  readonly network: string;
  /** Number of paid pages */
  readonly paid_pages: number;
  /** False if nothing more will be paid */
  readonly open: boolean;
  /** What pages from the cache cost less; absent for none */
  readonly saved?: string | undefined;
  /** The transaction that has moved `paid` on the chain */
  readonly transaction?: string | undefined;
}

/** The progress of a webhook */
export interface JobWebhook {
  readonly state: "sending" | "failing" | "done" | "given-up";
  /** Number of the last event that the receiver accepted or did not want; -1 before the first */
  readonly sent: number;
  /** Why the next event was not accepted */
  readonly failure?: string | undefined;
  readonly failing_since?: string | undefined;
}

/** Some results of a job */
export interface JobResults {
  readonly state: "running" | "completed" | "cancelled" | "failed";
  readonly results: readonly JobResult[];
  /** The `after` of the next request, if further results are ready */
  readonly next?: number | undefined;
}

/** A page of a job, or the error instead of its content */
export interface JobResult {
  /** Place among the results, from 1 on without gaps */
  readonly number: number;
  readonly url: string;
  /** Number of links from a start to the page */
  readonly depth: number;
  readonly format?: string | undefined;
  readonly content?: string | undefined;
  readonly results?: PageFormats | undefined;
  readonly metadata?: Metadata | undefined;
  readonly changes?: PageChanges | undefined;
  /** True if the page asks not to be indexed */
  readonly noindex?: boolean | undefined;
  /** Why the page was not delivered */
  readonly error?: string | undefined;
  /** The kind of the error */
  readonly kind?: string | undefined;
}

/** Some events of a job */
export interface JobEvents {
  readonly state: "running" | "completed" | "cancelled" | "failed";
  readonly events: readonly {
    /** 0 for the start, the number of the result, or the last number for the end */
    readonly number: number;
    readonly type: "started" | "page" | "completed" | "failed" | "cancelled";
    /** Name of the job */
    readonly job: string;
    /** The result, or the state of the job */
    readonly data: Readonly<Record<string, unknown>>;
  }[];
  /** The `after` of the next request, if further events are ready */
  readonly next?: number | undefined;
}

/** The sessions with a secret, the oldest first */
export interface SessionList {
  readonly sessions: readonly SessionState[];
}

/** The state of a session */
export interface SessionState {
  /** Name of the session */
  readonly id: string;
  /** Number of pages that have used it */
  readonly uses: number;
  /** Bytes of its data, encrypted */
  readonly stored_bytes: number;
  readonly created_at: string;
  readonly used_at: string;
  /** Time at which it ends, if it is not used */
  readonly expires_at: string;
}

/** The state of a session, and what it did not keep */
export interface SessionStatus extends SessionState {
  /** Data that was not kept, and why */
  readonly left_out: readonly {
    readonly origin: string;
    /** Absent for the localStorage */
    readonly database?: string | undefined;
    readonly reason: "size" | "value" | "busy" | "restore";
  }[];
}

/** The state of a browser */
export interface BrowserState {
  /** Name of the browser */
  readonly id: string;
  /** True while a client controls it */
  readonly connected: boolean;
  readonly created_at: string;
  /** Time at which it ends */
  readonly expires_at: string;
}

/** The name of an operation that an agent can call. */
export type ToolName =
  | "search"
  | "search_content"
  | "map"
  | "crawl"
  | "scrape"
  | "batch"
  | "extract"
  | "read"
  | "parse"
  | "pdf"
  | "screenshot"
  | "resolve"
  | "qr"
  | "session"
  | "browser";

/** One method for each operation, and for each request about a session or a browser. */
export abstract class Operations {
  /** Search the web. */
  search(request: SearchRequest, options?: CallOptions): Promise<SearchResponse> {
    return this.json({ method: "POST", path: "/search" }, request, options);
  }
  /** Search the web and read the first results. */
  search_content(request: SearchContentRequest, options?: CallOptions): Promise<SearchContentResponse> {
    return this.json({ method: "POST", path: "/search/content" }, request, options);
  }
  /** List the addresses of a site. */
  map(request: MapRequest, options?: CallOptions): Promise<MapResponse> {
    return this.json({ method: "POST", path: "/map" }, request, options);
  }
  /** Retrieve a page as HTML, Markdown, text or links. */
  scrape(request: ScrapeRequest, options?: CallOptions): Promise<ScrapeResponse> {
    return this.json({ method: "POST", path: "/scrape" }, request, options);
  }
  /** Retrieve many pages at once. */
  batch(request: BatchRequest, options?: CallOptions): Promise<BatchResponse> {
    return this.json({ method: "POST", path: "/batch" }, request, options);
  }
  /** Extract data of pages by CSS selectors or a JSON schema. */
  extract(request: ExtractRequest, options?: CallOptions): Promise<ExtractResponse> {
    return this.json({ method: "POST", path: "/extract" }, request, options);
  }
  /** Read the main article of a page. */
  read(request: ReadRequest, options?: CallOptions): Promise<ReadResponse> {
    return this.json({ method: "POST", path: "/read" }, request, options);
  }
  /** Read a file as HTML, Markdown, text or links. */
  parse(request: ParseRequest, options?: CallOptions): Promise<ParseResponse> {
    return this.json({ method: "POST", path: "/parse" }, request, options);
  }
  /** Print a page as a PDF document. */
  pdf(request: PdfRequest, options?: CallOptions): Promise<TurnpikeFile> {
    return this.file({ method: "POST", path: "/pdf" }, request, options);
  }
  /** Take a picture of a page. */
  screenshot(request: ScreenshotRequest, options?: CallOptions): Promise<TurnpikeFile> {
    return this.file({ method: "POST", path: "/screenshot" }, request, options);
  }
  /** Find the outcome of a prediction-market question. */
  resolve(request: ResolveRequest, options?: CallOptions): Promise<ResolveResponse> {
    return this.json({ method: "POST", path: "/resolve" }, request, options);
  }
  /** Draw a QR code. */
  qr(request: QrRequest, options?: CallOptions): Promise<TurnpikeFile> {
    return this.file({ method: "POST", path: "/qr" }, request, options);
  }
  /** Create a session for cookies and storage. */
  session(request: SessionRequest, options?: CallOptions): Promise<SessionResponse> {
    return this.json({ method: "POST", path: "/sessions" }, request, options);
  }
  /** Start a browser for Puppeteer or Playwright. */
  browser(request: BrowserRequest, options?: CallOptions): Promise<BrowserResponse> {
    return this.json({ method: "POST", path: "/browsers" }, request, options);
  }
  /** Report whether the service works. */
  health(options?: CallOptions): Promise<Health> {
    return this.json({ method: "GET", path: "/health" }, undefined, options);
  }
  /** List sessions. It is free. */
  session_list(about: { readonly secret: string }, options?: CallOptions): Promise<SessionList> {
    return this.json(
      { method: "GET", path: "/sessions", secret: ["x-session-secret", about.secret] },
      undefined,
      options,
    );
  }
  /** Return the state of a session. It is free. */
  session_status(
    about: { readonly id: string; readonly secret: string },
    options?: CallOptions,
  ): Promise<SessionStatus> {
    return this.json(
      { method: "GET", path: `/sessions/${encodeURIComponent(about.id)}`, secret: ["x-session-secret", about.secret] },
      undefined,
      options,
    );
  }
  /** End a session. It is free. */
  session_end(about: { readonly id: string; readonly secret: string }, options?: CallOptions): Promise<SessionState> {
    return this.json(
      {
        method: "DELETE",
        path: `/sessions/${encodeURIComponent(about.id)}`,
        secret: ["x-session-secret", about.secret],
      },
      undefined,
      options,
    );
  }
  /** Return the state of a browser. It is free. */
  browser_status(about: { readonly id: string; readonly token: string }, options?: CallOptions): Promise<BrowserState> {
    return this.json(
      { method: "GET", path: `/browsers/${encodeURIComponent(about.id)}`, secret: ["x-browser-token", about.token] },
      undefined,
      options,
    );
  }
  /** End a browser. It is free. */
  browser_end(about: { readonly id: string; readonly token: string }, options?: CallOptions): Promise<BrowserState> {
    return this.json(
      { method: "DELETE", path: `/browsers/${encodeURIComponent(about.id)}`, secret: ["x-browser-token", about.token] },
      undefined,
      options,
    );
  }
  protected abstract json<T>(target: OperationTarget, body: unknown, options?: CallOptions): Promise<T>;
  protected abstract file(target: OperationTarget, body: unknown, options?: CallOptions): Promise<TurnpikeFile>;
}
