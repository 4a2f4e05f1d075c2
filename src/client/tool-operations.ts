// Made of the API's description by scripts/generate.ts; changes here are lost.
/** An operation that an agent can call. */
export interface ToolOperation {
  readonly description: string;
  /** The JSON schema of its parameters, without references. */
  readonly parameters: Readonly<Record<string, unknown>> & { readonly type: "object" };
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

/** Parameters of all operations that load pages. */
const PAGE = {
  selector: {
    type: "string",
    minLength: 1,
    maxLength: 2000,
    description: "CSS selector of an element to wait for before acting",
  },
  stealth: {
    type: "boolean",
    default: false,
    description: "Present the fingerprint of an ordinary browser to the page",
  },
  timeout: { type: "integer", minimum: 1, maximum: 120, default: 30, description: "Page load timeout in seconds" },
  user_agent: {
    type: "string",
    minLength: 1,
    maxLength: 512,
    pattern: "^[\\x20-\\x7e]*$",
    description: "Custom User-Agent",
  },
  wait: {
    type: "integer",
    minimum: 0,
    maximum: 30,
    description: "Extra seconds to wait after the page event; not counted in the timeout",
  },
  wait_until: {
    type: "string",
    enum: ["load", "domcontentloaded", "networkidle0"],
    default: "load",
    description: "Page event to wait for",
  },
  engine: {
    type: "string",
    enum: ["auto", "static", "browser"],
    default: "auto",
    description: "Engine that loads the page; auto uses a browser only if the page or the request needs one",
  },
  partial: {
    type: "boolean",
    default: false,
    description: "At the timeout, return the content so far instead of an error",
  },
  accept_status: {
    anyOf: [
      { type: "string", enum: ["any"] },
      {
        type: "array",
        items: {
          anyOf: [
            { type: "integer", minimum: 400, maximum: 999 },
            { type: "string", pattern: "^([4-9]\\d\\d)-([4-9]\\d\\d)$" },
          ],
        },
        minItems: 1,
        maxItems: 20,
      },
    ],
    description:
      'Statuses from 400 on with which the page is content and no error: a list such as [404, "500-599"], or "any"',
  },
  headers: {
    type: "object",
    additionalProperties: { type: "string", maxLength: 8192, pattern: "^[\\t\\x20-\\x7e\\x80-\\xff]*$" },
    propertyNames: { minLength: 1, maxLength: 100, pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" },
    maxProperties: 50,
    description: "Header fields for the page's origin; redirects to other origins drop them",
  },
  cookies: {
    type: "array",
    items: {
      type: "object",
      properties: {
        name: { type: "string", minLength: 1, maxLength: 100, pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" },
        value: { type: "string", maxLength: 8192, pattern: "^[\\x20-\\x3a\\x3c-\\x7e]*$" },
        domain: {
          type: "string",
          minLength: 1,
          maxLength: 100,
          pattern: "^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$",
          description: "The page's host or a domain above it, for its subdomains too",
        },
        path: {
          type: "string",
          minLength: 1,
          maxLength: 8192,
          pattern: "^\\/[\\x20-\\x3a\\x3c-\\x7e]*$",
          default: "/",
        },
        secure: { type: "boolean", description: "Only by https; by default if the page's URL is https" },
      },
      required: ["name", "value"],
      additionalProperties: false,
    },
    maxItems: 50,
    description: "Cookies for the page's host",
  },
  basic_auth: {
    type: "object",
    properties: {
      username: { type: "string", maxLength: 500, pattern: "^[^:\\p{Cc}]*$" },
      password: { type: "string", maxLength: 500 },
    },
    required: ["username", "password"],
    additionalProperties: false,
    description: "User name and password for the page's origin",
  },
  method: {
    type: "string",
    enum: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    default: "GET",
    description: "Method of the request for the page",
  },
  body: {
    type: "string",
    maxLength: 262144,
    description: "Body of the request; a form, unless headers has another Content-Type",
  },
  language: {
    type: "string",
    pattern: "^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2}$",
    description: "Language that the page is asked for",
  },
  timezone: {
    type: "string",
    minLength: 1,
    maxLength: 100,
    description: "Time zone of the browser",
    format: "time-zone",
  },
  geolocation: {
    type: "object",
    properties: {
      latitude: { type: "number", minimum: -90, maximum: 90 },
      longitude: { type: "number", minimum: -180, maximum: 180 },
      accuracy: { type: "number", minimum: 0, maximum: 100000, default: 50 },
    },
    required: ["latitude", "longitude"],
    additionalProperties: false,
    description: "Position that the browser reports",
  },
  viewport: {
    type: "object",
    properties: {
      width: { type: "integer", minimum: 1, maximum: 4096 },
      height: { type: "integer", minimum: 1, maximum: 4096 },
      scale: { type: "number", minimum: 0.5, maximum: 4, default: 1 },
      mobile: { type: "boolean", default: false },
    },
    required: ["width", "height"],
    additionalProperties: false,
    description: "Size of the browser's window; mobile is a touch screen, and asks as a phone",
  },
  proxy: {
    type: "string",
    minLength: 1,
    maxLength: 2000,
    pattern:
      "^(?:[a-z0-9][a-z0-9-]{0,62}|(?:[Hh][Tt][Tt][Pp]|[Ss][Oo][Cc][Kk][Ss]5[Hh]?):\\/\\/(?:[^\\s/?#@]*@)?(?:[\\p{L}\\p{M}\\p{N}._-]+|\\[[0-9A-Fa-f:.]+\\])(?::(?:[0-5]?\\d{1,4}|6[0-4]\\d{3}|65[0-4]\\d\\d|655[0-2]\\d|6553[0-5]))?\\/?)$",
    description: "Proxy of your own (http or socks5 URL), or the name of one of the operator",
  },
  actions: {
    type: "array",
    items: {
      anyOf: [
        {
          type: "object",
          properties: {
            type: { type: "string", enum: ["click"] },
            selector: { type: "string", minLength: 1, maxLength: 2000 },
            all: { type: "boolean", default: false, description: "Each element that matches, up to 20" },
            button: { type: "string", enum: ["left", "right", "middle"], default: "left" },
            clicks: { type: "integer", minimum: 1, maximum: 3, default: 1 },
            timeout: { type: "number", minimum: 0.1, maximum: 60, default: 10 },
          },
          required: ["type", "selector"],
          additionalProperties: false,
        },
        {
          type: "object",
          properties: {
            type: { type: "string", enum: ["hover"] },
            selector: { type: "string", minLength: 1, maxLength: 2000 },
            timeout: { type: "number", minimum: 0.1, maximum: 60, default: 10 },
          },
          required: ["type", "selector"],
          additionalProperties: false,
        },
        {
          type: "object",
          properties: {
            type: { type: "string", enum: ["fill"] },
            selector: { type: "string", minLength: 1, maxLength: 2000 },
            text: { type: "string", maxLength: 10000 },
            timeout: { type: "number", minimum: 0.1, maximum: 60, default: 10 },
          },
          required: ["type", "selector", "text"],
          additionalProperties: false,
        },
        {
          type: "object",
          properties: {
            type: { type: "string", enum: ["write"] },
            text: { type: "string", maxLength: 10000 },
            timeout: { type: "number", minimum: 0.1, maximum: 60, default: 10 },
          },
          required: ["type", "text"],
          additionalProperties: false,
        },
        {
          type: "object",
          properties: {
            type: { type: "string", enum: ["press"] },
            key: { type: "string", minLength: 1, maxLength: 50 },
            timeout: { type: "number", minimum: 0.1, maximum: 60, default: 10 },
          },
          required: ["type", "key"],
          additionalProperties: false,
        },
        {
          type: "object",
          properties: {
            type: { type: "string", enum: ["select"] },
            selector: { type: "string", minLength: 1, maxLength: 2000 },
            values: {
              type: "array",
              items: { type: "string", maxLength: 10000 },
              minItems: 1,
              maxItems: 50,
              description: "Values or texts of options",
            },
            timeout: { type: "number", minimum: 0.1, maximum: 60, default: 10 },
          },
          required: ["type", "selector", "values"],
          additionalProperties: false,
        },
        {
          type: "object",
          properties: {
            type: { type: "string", enum: ["scroll"] },
            selector: {
              type: "string",
              minLength: 1,
              maxLength: 2000,
              description: "Element that is scrolled; by default the page",
            },
            direction: { type: "string", enum: ["down", "up"], default: "down" },
            times: {
              type: "integer",
              minimum: 1,
              maximum: 200,
              description: "Windows; by default to the end, also of a list that grows",
            },
            timeout: { type: "number", minimum: 0.1, maximum: 60, default: 10 },
          },
          required: ["type"],
          additionalProperties: false,
        },
        {
          type: "object",
          properties: {
            type: { type: "string", enum: ["wait"] },
            milliseconds: { type: "integer", minimum: 0, maximum: 60000, description: "Not counted in the timeouts" },
            selector: { type: "string", minLength: 1, maxLength: 2000 },
            state: { type: "string", enum: ["visible", "attached", "gone"] },
            text: { type: "string", minLength: 1, maxLength: 10000 },
            quiet: { type: "boolean", enum: [true], description: "Until no request was in progress for half a second" },
            timeout: { type: "number", minimum: 0.1, maximum: 60, default: 10 },
          },
          required: ["type"],
          additionalProperties: false,
        },
        {
          type: "object",
          properties: {
            type: { type: "string", enum: ["screenshot"] },
            format: { type: "string", enum: ["png", "jpeg", "webp"], default: "png", description: "Image format" },
            full_page: {
              type: "boolean",
              default: false,
              description:
                "Capture the whole page after scrolling through it, not only the window; at most 16,383 pixels wide, 30,000 high (webp: 16,383) and 40 million in all",
            },
            quality: {
              type: "integer",
              minimum: 0,
              maximum: 100,
              description: "Compression quality, only for jpeg and webp; 80 by default, and a webp of 100 is lossless",
            },
            timeout: { type: "number", minimum: 0.1, maximum: 60, default: 10 },
          },
          required: ["type"],
          additionalProperties: false,
        },
        {
          type: "object",
          properties: {
            type: { type: "string", enum: ["scrape"] },
            timeout: { type: "number", minimum: 0.1, maximum: 60, default: 10 },
          },
          required: ["type"],
          additionalProperties: false,
        },
        {
          type: "object",
          properties: {
            type: { type: "string", enum: ["evaluate"] },
            script: { type: "string", minLength: 1, maxLength: 100000 },
            timeout: { type: "number", minimum: 0.1, maximum: 60, default: 10 },
          },
          required: ["type", "script"],
          additionalProperties: false,
        },
      ],
    },
    minItems: 1,
    maxItems: 50,
    description: "Steps in a browser before the page is read; each has a timeout in seconds",
  },
  action_screenshot: {
    type: "boolean",
    default: false,
    description: "Add a picture of the page to the error of a step",
  },
};

/** Parameters of all operations with formats. */
const CONTENT = {
  format: {
    type: "string",
    enum: ["html", "markdown", "text", "links"],
    default: "markdown",
    description: "Output format",
  },
  max_length: {
    type: "integer",
    minimum: 1,
    maximum: 1000000,
    description: "Maximum content length in characters; longer content is cut",
  },
  formats: {
    type: "array",
    items: {
      anyOf: [
        {
          type: "string",
          enum: [
            "markdown",
            "html",
            "text",
            "links",
            "images",
            "metadata",
            "summary",
            "raw",
            "branding",
            "pdf",
            "screenshot",
          ],
        },
        {
          type: "object",
          properties: {
            type: {
              type: "string",
              enum: ["markdown", "html", "text", "links", "images", "metadata", "summary", "raw", "branding", "pdf"],
            },
          },
          required: ["type"],
          additionalProperties: false,
        },
        {
          type: "object",
          properties: {
            type: { type: "string", enum: ["summary"] },
            by: {
              type: "string",
              enum: ["sentences", "model"],
              description: "model: a language model, if the service has one and it succeeds",
            },
          },
          required: ["type", "by"],
          additionalProperties: false,
        },
        {
          type: "object",
          properties: {
            type: { type: "string", enum: ["screenshot"] },
            format: { type: "string", enum: ["png", "jpeg", "webp"], default: "png", description: "Image format" },
            full_page: {
              type: "boolean",
              default: false,
              description:
                "Capture the whole page after scrolling through it, not only the window; at most 16,383 pixels wide, 30,000 high (webp: 16,383) and 40 million in all",
            },
            width: {
              type: "integer",
              minimum: 1,
              maximum: 10000,
              default: 1280,
              description: "Viewport width in pixels",
            },
            height: {
              type: "integer",
              minimum: 1,
              maximum: 10000,
              default: 720,
              description: "Viewport height in pixels",
            },
            quality: {
              type: "integer",
              minimum: 0,
              maximum: 100,
              description: "Compression quality, only for jpeg and webp; 80 by default, and a webp of 100 is lossless",
            },
          },
          required: ["type"],
          additionalProperties: false,
        },
        {
          type: "object",
          properties: {
            type: { type: "string", enum: ["json"] },
            schema: {
              type: "object",
              description:
                "JSON Schema (2020-12) of an object: the fields to find in the page, by names and descriptions",
            },
            locale: {
              type: "string",
              minLength: 2,
              maxLength: 35,
              pattern: "^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}$",
              description: "Language tag by which numbers and dates are read; default: that of the page",
            },
            prompt: {
              type: "string",
              maxLength: 2000,
              description:
                "With a schema, and if the service has a language model: what the model should know of the fields",
            },
            shown_only: {
              type: "boolean",
              default: false,
              description: "With a schema: only values that a reader of the page sees",
            },
          },
          required: ["type", "schema"],
          additionalProperties: false,
        },
      ],
    },
    minItems: 1,
    maxItems: 12,
    description: "Several formats in one visit, as members of `results`; `content` is then empty",
  },
  only_main_content: {
    type: "boolean",
    default: false,
    description: "Only the main content, without navigation and side columns",
  },
  include_selectors: {
    type: "array",
    items: { type: "string", minLength: 1, maxLength: 2000 },
    maxItems: 50,
    description: "CSS selectors of the only elements that are read",
  },
  exclude_selectors: {
    type: "array",
    items: { type: "string", minLength: 1, maxLength: 2000 },
    maxItems: 50,
    description: "CSS selectors of elements that are not read",
  },
  inline_images: {
    type: "boolean",
    default: false,
    description: "Keep pictures whose data stands in the page as base64; by default they are left out",
  },
  max_age: {
    type: "integer",
    minimum: 0,
    maximum: 2592000,
    description:
      "Seconds: accept a page that was loaded this long ago for any caller, and keep it for others; 0 only keeps it",
  },
  private: {
    type: "boolean",
    default: false,
    description: "With max_age: do not keep the page for others, who could see that it was requested",
  },
  changes: {
    type: "object",
    properties: {
      since: {
        type: "string",
        default: "last",
        description: "The version to compare with: the last one, or the one of this time",
      },
      mode: {
        type: "string",
        enum: ["diff", "fields"],
        default: "diff",
        description: "A unified diff of the content, or the changed members of content that is JSON",
      },
    },
    additionalProperties: false,
    description: "Compare the page with a version that you received before, and keep it for the next time",
  },
};

/** Parameters of all operations that search. */
const SEARCH = {
  query: {
    type: "string",
    maxLength: 500,
    pattern: "[^\\s\\p{Cc}\\p{Cf}]",
    description: "Search query: words, phrases in quotation marks, and -words",
  },
  count: { type: "integer", minimum: 1, maximum: 50, default: 10, description: "Number of results on a page" },
  page: {
    type: "integer",
    minimum: 1,
    maximum: 50,
    default: 1,
    description: "Page of results; page × count is at most 200",
  },
  site: {
    type: "string",
    maxLength: 253,
    pattern: "^(?:[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]*[\\p{L}\\p{M}\\p{N}])?\\.)+[\\p{L}\\p{M}\\p{N}-]{2,}$",
    description: "Host whose pages are wanted, with its subdomains",
  },
  exclude_site: {
    type: "array",
    items: {
      type: "string",
      maxLength: 253,
      pattern: "^(?:[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]*[\\p{L}\\p{M}\\p{N}])?\\.)+[\\p{L}\\p{M}\\p{N}-]{2,}$",
    },
    minItems: 1,
    maxItems: 10,
    description: "Hosts whose pages are left out, with their subdomains",
  },
  after: { type: "string", description: "First day of publication", format: "date" },
  before: { type: "string", description: "Last day of publication", format: "date" },
  lang: { type: "string", pattern: "^[a-z]{2}$", description: "Language of results, by ISO 639-1" },
  timeout: { type: "integer", minimum: 1, maximum: 120, default: 30, description: "Search timeout in seconds" },
};

/** Parameters of several operations. */
const SHARED = {
  url: { type: "string", minLength: 1, maxLength: 8192, description: "Page to load; http and https only" },
  session: {
    type: "string",
    minLength: 1,
    maxLength: 64,
    pattern: "^[\\x21-\\x7e]*$",
    description:
      "Id of a session of POST /sessions: the page gets its cookies, localStorage and IndexedDB, and leaves its own there",
  },
  session_secret: {
    type: "string",
    minLength: 1,
    maxLength: 64,
    pattern: "^[\\x21-\\x7e]*$",
    description: "Its secret, if X-Session-Secret does not have it",
  },
  evaluate: {
    type: "string",
    minLength: 1,
    description: "JavaScript expression evaluated on the page; its result takes the place of the content",
  },
  ai_terms: {
    type: "boolean",
    default: false,
    description: "Read the files of the site with its terms for use by AI, and show them in metadata",
  },
};

/** Every operation with a price. */
export const TOOL_OPERATIONS: Readonly<Record<ToolName, ToolOperation>> = {
  search: {
    description:
      "Search the web. Queries the configured search providers and merges their results. Each page appears once, the best first, with title and snippet as plain text. An empty list is a result. If all providers fail, the call is an error and free, and so is a restriction that no provider supports. Operators in the query, such as site:, have no effect; use the parameters. /search/content also returns the text of the first pages. The call is paid; a failed call costs nothing.",
    parameters: { type: "object", required: ["query"], additionalProperties: false, properties: { ...SEARCH } },
  },
  search_content: {
    description:
      "Search the web and read the first results. Searches as /search does, and reads the first results as /read does, at the same time. A page that fails has an `error` and no content, and does not affect the others. The price is the same for any number of pages. If no page was read, the call is free, unless the operator charges for pages that use up their own time. `timeout` is for the whole call; the search gets half of it. The call is paid; a failed call costs nothing.",
    parameters: {
      type: "object",
      required: ["query", "content"],
      additionalProperties: false,
      properties: {
        content: { type: "string", enum: ["markdown"], description: "Format of the contents" },
        pages: {
          type: "integer",
          minimum: 1,
          maximum: 5,
          default: 3,
          description: "Number of first results that are read",
        },
        max_length: {
          type: "integer",
          minimum: 1,
          maximum: 100000,
          default: 20000,
          description: "Maximum length of a page's content in characters; longer content is cut",
        },
        ...SEARCH,
      },
    },
  },
  map: {
    description:
      "List the addresses of a site. Returns the addresses of a site from its first pages, its sitemaps, those that robots.txt names, and the search index of the gateway. Sitemaps are XML, indexes, text, RSS or Atom, gzipped or not. Each address appears once. Nothing that robots.txt forbids is requested or returned. With `Accept: application/x-ndjson` each address is sent as a line of JSON when it is found, and a last line has the `metadata`. A map without an address is an error and free. The call is paid; a failed call costs nothing.",
    parameters: {
      type: "object",
      required: ["url"],
      additionalProperties: false,
      properties: {
        url: {
          type: "string",
          minLength: 1,
          maxLength: 8192,
          description: "Any address of the site; http and https only",
        },
        search: {
          type: "string",
          maxLength: 500,
          pattern: "[^\\s\\p{Cc}\\p{Cf}]",
          description: "Only addresses that have one of these words, in themselves or in their title, the best first",
        },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: 100000,
          default: 5000,
          description: "Maximum number of addresses",
        },
        subdomains: { type: "boolean", default: false, description: "Also addresses of hosts below the site's" },
        ignore_query: {
          type: "boolean",
          default: false,
          description: "Return addresses without their query, each once",
        },
        include_paths: {
          type: "array",
          items: { type: "string", minLength: 1, maxLength: 200, format: "regex" },
          minItems: 1,
          maxItems: 20,
          description: "Regular expressions; only paths that one of them matches anywhere are returned",
        },
        exclude_paths: {
          type: "array",
          items: { type: "string", minLength: 1, maxLength: 200, format: "regex" },
          minItems: 1,
          maxItems: 20,
          description: "Regular expressions; paths that one of them matches anywhere are left out",
        },
        sitemap: {
          type: "string",
          enum: ["include", "only", "skip"],
          default: "include",
          description: "Use of the site's sitemaps beside its first pages and the search index",
        },
        timeout: {
          type: "integer",
          minimum: 1,
          maximum: 120,
          default: 30,
          description: "Time for all of it, in seconds",
        },
      },
    },
  },
  crawl: {
    description:
      "Load the pages of a site as a job. Returns the job at once: read its results with job_results, and its state with job_status. It is paid.",
    parameters: {
      type: "object",
      required: ["urls"],
      additionalProperties: false,
      properties: {
        urls: {
          type: "array",
          items: { type: "string", minLength: 1, maxLength: 8192, description: "Page to load; http and https only" },
          minItems: 1,
          maxItems: 100,
          description: "Addresses at which the crawl begins; their hosts are the site",
        },
        limit: {
          type: "integer",
          minimum: 1,
          maximum: 10000,
          default: 100,
          description: "Maximum number of delivered pages",
        },
        max_depth: {
          type: "integer",
          minimum: 0,
          maximum: 50,
          default: 20,
          description: "Maximum number of links from a start to a page",
        },
        include_paths: {
          type: "array",
          items: { type: "string", minLength: 1, maxLength: 200, format: "regex" },
          minItems: 1,
          maxItems: 20,
          description: "Regular expressions; only linked pages whose path one of them matches anywhere are loaded",
        },
        exclude_paths: {
          type: "array",
          items: { type: "string", minLength: 1, maxLength: 200, format: "regex" },
          minItems: 1,
          maxItems: 20,
          description: "Regular expressions; linked pages whose path one of them matches anywhere are not loaded",
        },
        subdomains: { type: "boolean", default: false, description: "Also pages of hosts below the site's" },
        external: {
          type: "boolean",
          default: false,
          description: "Also pages of other sites that the site links to; their links are not followed",
        },
        ignore_query: { type: "boolean", default: false, description: "Load addresses without their query, each once" },
        sitemap: {
          type: "string",
          enum: ["include", "only", "skip"],
          default: "include",
          description: "Use of the site's sitemaps beside the links of its pages",
        },
        skip_noindex: {
          type: "boolean",
          default: false,
          description: "Do not deliver pages that ask not to be indexed",
        },
        near_duplicates: {
          type: "string",
          enum: ["deliver", "same-path", "skip"],
          default: "same-path",
          description:
            "Pages whose text is nearly that of another page: deliver them, or skip those with the same path (on another host, or with another query), or all of them",
        },
        delay: {
          type: "number",
          minimum: 0,
          maximum: 60,
          default: 0,
          description: "Minimum seconds between two requests to a host",
        },
        concurrency: {
          type: "integer",
          minimum: 1,
          maximum: 16,
          default: 8,
          description: "Maximum number of pages loaded at a time by each content service",
        },
        only_changed: {
          type: "boolean",
          default: false,
          description: "Deliver only pages that are new or changed since your last crawl with the same format",
        },
        max_price: {
          type: "string",
          pattern: "^(?:0|[1-9][0-9]{0,76})$",
          description:
            "The most that the job may cost, in the smallest unit of the asset; it ends with the reason max-price before that",
        },
        ...PAGE,
        ...CONTENT,
      },
    },
  },
  scrape: {
    description:
      "Retrieve a page as HTML, Markdown, text or links. Loads the page and returns its content. With `evaluate`, the result of that expression is the content: text unchanged, everything else as JSON. `links` returns one link per line, in the page's order. With `formats`, several formats come from one visit: the price is that of the most expensive one, and a share of the others. The call is paid; a failed call costs nothing.",
    parameters: {
      type: "object",
      required: ["url"],
      additionalProperties: false,
      properties: {
        url: SHARED.url,
        session: SHARED.session,
        session_secret: SHARED.session_secret,
        evaluate: SHARED.evaluate,
        ai_terms: SHARED.ai_terms,
        ...PAGE,
        ...CONTENT,
      },
    },
  },
  batch: {
    description: "Retrieve many pages at once. The call is paid; a failed call costs nothing.",
    parameters: {
      type: "object",
      required: ["urls"],
      additionalProperties: false,
      properties: {
        urls: {
          type: "array",
          items: { type: "string", minLength: 1, maxLength: 8192, description: "Page to load; http and https only" },
          minItems: 1,
          maxItems: 10000,
          description: "Pages to load",
        },
        evaluate: SHARED.evaluate,
        ai_terms: SHARED.ai_terms,
        ...PAGE,
        ...CONTENT,
      },
    },
  },
  extract: {
    description:
      "Extract data of pages by CSS selectors or a JSON schema. With `selectors`, the text of the elements that each selector matches: a string for one element, an array for several, null for no match. `selector@attribute` returns an attribute of the elements that have it; addresses become absolute. Without `@`, code is omitted, and each block has a line of its own. With `schema`, the fields that it describes, from structured data, tables, labels and lists of the page. Every value stands in the page, and `sources` has its place. A field without a value is null; if the schema requires it, the page is the error `fields-missing`, and free. The call is paid; a failed call costs nothing.",
    parameters: {
      type: "object",
      additionalProperties: false,
      anyOf: [
        { required: ["url", "selectors"] },
        { required: ["url", "schema"] },
        { required: ["url", "extractor"] },
        { required: ["urls", "selectors"] },
        { required: ["urls", "schema"] },
        { required: ["urls", "extractor"] },
      ],
      properties: {
        url: SHARED.url,
        urls: {
          type: "array",
          items: { type: "string", minLength: 1, maxLength: 8192, description: "Page to load; http and https only" },
          minItems: 1,
          maxItems: 20,
          description: "Several pages, in place of `url`; each is paid for if it has all required fields",
        },
        session: SHARED.session,
        session_secret: SHARED.session_secret,
        selectors: {
          type: "object",
          additionalProperties: { type: "string", maxLength: 2000 },
          propertyNames: { minLength: 1, maxLength: 100 },
          minProperties: 1,
          maxProperties: 100,
          description:
            "CSS selectors by the names that their results get. `selector@attribute` gives an attribute's values in place of texts",
        },
        schema: {
          type: "object",
          description: "JSON Schema (2020-12) of an object: the fields to find in the page, by names and descriptions",
        },
        locale: {
          type: "string",
          minLength: 2,
          maxLength: 35,
          pattern: "^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}$",
          description: "Language tag by which numbers and dates are read; default: that of the page",
        },
        prompt: {
          type: "string",
          maxLength: 2000,
          description:
            "With a schema, and if the service has a language model: what the model should know of the fields",
        },
        shown_only: {
          type: "boolean",
          default: false,
          description: "With a schema: only values that a reader of the page sees",
        },
        learn: {
          type: "boolean",
          default: false,
          description: "With a schema and 2 to 5 pages of one template: keep the places of the fields as an extractor",
        },
        confirmed: {
          type: "array",
          items: { type: "object", additionalProperties: {} },
          maxItems: 5,
          description: "With learn: right values of each page, in the order of `urls`, in the form of `data`",
        },
        extractor: {
          type: "string",
          minLength: 1,
          maxLength: 64,
          pattern: "^[\\x21-\\x7e]*$",
          description: "Id of a learned extractor, in place of `schema`",
        },
        ...PAGE,
      },
    },
  },
  read: {
    description:
      "Read the main article of a page. Loads the page and returns its title and its main content as Markdown, without navigation, advertisements and side columns. A page with nothing to read is an error. `GET /r/https://example.com/` returns title and content as plain Markdown. The call is paid; a failed call costs nothing.",
    parameters: {
      type: "object",
      required: ["url"],
      additionalProperties: false,
      properties: {
        url: SHARED.url,
        session: SHARED.session,
        session_secret: SHARED.session_secret,
        max_age: CONTENT.max_age,
        private: CONTENT.private,
        changes: CONTENT.changes,
        ai_terms: SHARED.ai_terms,
        max_length: CONTENT.max_length,
        comments: {
          type: "boolean",
          default: false,
          description: "Also return the readers' comments below an article",
        },
        ...PAGE,
      },
    },
  },
  parse: {
    description:
      "Read a file as HTML, Markdown, text or links. Reads an uploaded file: DOCX, XLSX, PPTX, ODT, ODS, ODP, RTF, EPUB, PDF, e-mail, archive, HTML, CSV, JSON or XML; with OCR also a picture. The body is JSON, multipart/form-data with the part `file` and the parameters as further parts, or the file itself with the parameters in the query. The call is paid; a failed call costs nothing.",
    parameters: {
      type: "object",
      required: ["file"],
      additionalProperties: false,
      properties: {
        file: { type: "string", minLength: 1, description: "The file in base64", format: "byte" },
        content_type: {
          type: "string",
          maxLength: 200,
          pattern: "^[\\x20-\\x7e]*$",
          description: "Media type of a text file, such as text/csv; the bytes of other files say what they are",
        },
        format: CONTENT.format,
        max_length: CONTENT.max_length,
        words: {
          type: "boolean",
          default: false,
          description: "Also return the words that were recognised in pictures, with their boxes",
        },
        timeout: {
          type: "integer",
          minimum: 1,
          maximum: 120,
          default: 30,
          description: "Time for reading the file in seconds",
        },
      },
    },
  },
  pdf: {
    description:
      "Print a page as a PDF document. Loads the page in a browser and prints it. A URL that is a PDF document itself is passed through unchanged. A page behind a bot challenge or a consent wall is an error, and so is an empty page. Header fields of the response have the page's final address and its engine. The call is paid; a failed call costs nothing.",
    parameters: {
      type: "object",
      required: ["url"],
      additionalProperties: false,
      properties: {
        url: SHARED.url,
        session: SHARED.session,
        session_secret: SHARED.session_secret,
        landscape: { type: "boolean", default: false, description: "Landscape orientation" },
        print_background: { type: "boolean", default: true, description: "Print background colours and images" },
        scale: { type: "number", minimum: 0.1, maximum: 2, default: 1, description: "Render scale" },
        paper_width: { type: "number", minimum: 0.5, maximum: 200, default: 8.5, description: "Paper width in inches" },
        paper_height: {
          type: "number",
          minimum: 0.5,
          maximum: 200,
          default: 11,
          description: "Paper height in inches",
        },
        margin_top: { type: "number", minimum: 0, maximum: 100, description: "Top margin in inches; 0.4 by default" },
        margin_bottom: {
          type: "number",
          minimum: 0,
          maximum: 100,
          description: "Bottom margin in inches; 0.4 by default",
        },
        margin_left: { type: "number", minimum: 0, maximum: 100, description: "Left margin in inches; 0.4 by default" },
        margin_right: {
          type: "number",
          minimum: 0,
          maximum: 100,
          description: "Right margin in inches; 0.4 by default",
        },
        ...PAGE,
      },
    },
  },
  screenshot: {
    description:
      "Take a picture of a page. Loads the page in a browser and takes a picture of exactly `width` by `height` pixels, or of the whole page with `full_page`. `selector` only delays the picture until its element exists. A page behind a bot challenge or a consent wall is an error, and so is an empty page. Header fields of the response have the page's final address and its engine. The call is paid; a failed call costs nothing.",
    parameters: {
      type: "object",
      required: ["url"],
      additionalProperties: false,
      properties: {
        url: SHARED.url,
        session: SHARED.session,
        session_secret: SHARED.session_secret,
        format: { type: "string", enum: ["png", "jpeg", "webp"], default: "png", description: "Image format" },
        full_page: {
          type: "boolean",
          default: false,
          description:
            "Capture the whole page after scrolling through it, not only the window; at most 16,383 pixels wide, 30,000 high (webp: 16,383) and 40 million in all",
        },
        width: { type: "integer", minimum: 1, maximum: 10000, default: 1280, description: "Viewport width in pixels" },
        height: { type: "integer", minimum: 1, maximum: 10000, default: 720, description: "Viewport height in pixels" },
        quality: {
          type: "integer",
          minimum: 0,
          maximum: 100,
          description: "Compression quality, only for jpeg and webp; 80 by default, and a webp of 100 is lossless",
        },
        ...PAGE,
      },
    },
  },
  resolve: {
    description:
      "Find the outcome of a prediction-market question. Searches the web, reads sources and returns the probability of YES, with a verdict and the statements that support it. Quotes are copied from their sources word for word. The verdict is UNCERTAIN if the sources say nothing or contradict each other, or if the deadline is still to come and nothing has happened yet. A page that cannot be read is named in `reasoning`, and the other pages are used. When `timeout` is over, the response has the result so far. If no source was read and no search provider responded, the response is an error and costs nothing. The call is paid; a failed call costs nothing.",
    parameters: {
      type: "object",
      required: ["question"],
      additionalProperties: false,
      properties: {
        question: {
          type: "string",
          maxLength: 2000,
          pattern: "[^\\s\\p{Cc}\\p{Cf}]",
          description: "Prediction-market question",
        },
        criteria: { type: "string", maxLength: 20000, default: "", description: "How the market resolves YES or NO" },
        max_sources: {
          type: "integer",
          minimum: 1,
          maximum: 8,
          default: 5,
          description: "Maximum web sources to read",
        },
        sources: {
          type: "array",
          items: { type: "string", minLength: 1, maxLength: 8192, description: "Page to load; http and https only" },
          maxItems: 3,
          default: [],
          description:
            "Hint URLs to check for evidence; read before all others, also if they are more than max_sources",
        },
        timeout: {
          type: "integer",
          minimum: 1,
          maximum: 120,
          default: 30,
          description: "Timeout in seconds; the response has the result so far",
        },
      },
    },
  },
  qr: {
    description:
      "Draw a QR code. Returns a black-and-white PNG of exactly the requested size. Each module has a whole number of pixels, and the remaining pixels widen the margin. Error correction is level M, or L if the data is too long for M or for the size. The call is paid; a failed call costs nothing.",
    parameters: {
      type: "object",
      required: ["data"],
      additionalProperties: false,
      properties: {
        data: {
          type: "string",
          minLength: 1,
          maxLength: 4296,
          pattern: "^\\P{Cs}*$",
          description: "Text, URL or data to encode",
        },
        size: {
          type: "integer",
          minimum: 32,
          maximum: 2048,
          default: 256,
          description: "Width and height of the image in pixels",
        },
        margin: { type: "integer", minimum: 0, maximum: 10, default: 2, description: "Quiet zone in modules" },
      },
    },
  },
  session: {
    description:
      "Create a session for cookies and storage. Name it in requests for pages. Both engines use it. One page at a time uses it; another one is rejected with 409. Its data is encrypted with its secret, which the service does not keep. Kept are cookies, localStorage and IndexedDB; sessionStorage, caches, service workers and the storage of frames are not. The call is paid; a failed call costs nothing.",
    parameters: {
      type: "object",
      additionalProperties: false,
      properties: {
        ttl: { type: "integer", minimum: 10, maximum: 2592000, default: 86400, description: "Seconds" },
        idle_ttl: { type: "integer", minimum: 10, maximum: 2592000, description: "Idle seconds; absent for `ttl`" },
        session_secret: {
          type: "string",
          minLength: 1,
          maxLength: 64,
          pattern: "^[\\x21-\\x7e]*$",
          description: "Secret of another one",
        },
      },
    },
  },
  browser: {
    description:
      "Start a browser for Puppeteer or Playwright. `connect` speaks the DevTools protocol. It ends after the paid minutes, and after five minutes without a client. With `browser` and `token`, a running browser runs longer. People watch it at `view`, and act in its pages at `control`. It has no files and no downloads, and loads pages of the public web. The call is paid; a failed call costs nothing.",
    parameters: {
      type: "object",
      required: ["minutes"],
      additionalProperties: false,
      properties: {
        minutes: { type: "integer", minimum: 1, maximum: 240, description: "Minutes" },
        browser: {
          type: "string",
          minLength: 1,
          maxLength: 64,
          pattern: "^[\\x21-\\x7e]*$",
          description: "One that is to run longer",
        },
        token: { type: "string", minLength: 1, maxLength: 64, pattern: "^[\\x21-\\x7e]*$" },
      },
    },
  },
};
