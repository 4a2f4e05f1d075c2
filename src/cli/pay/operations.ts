// Made of the API's description by scripts/generate.ts; changes here are lost.

/** An operation of the content API, and the way in which the command line calls it. */
export interface Operation {
  readonly method: "GET" | "POST";
  /** Without it, the path is a slash and the name. */
  readonly path?: string;
  /** The parameter that positional arguments fill: the first required one. With `many` it is a list of all of them. */
  readonly argument?: string;
  readonly many?: true;
  /** The argument is a number. */
  readonly isNumber?: true;
  /** Other parameters can take the place of the argument. */
  readonly optional?: true;
  /** The name of the file for a binary result, without extension. */
  readonly file?: string;
  /** The response is a job; if false, only with the parameter `async`. */
  readonly isJob?: boolean;
}

/** Every operation that `turnpike call` knows, by name. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  search: { method: "POST", argument: "query" },
  search_content: { method: "POST", path: "/search/content", argument: "query" },
  map: { method: "POST", argument: "url" },
  crawl: { method: "POST", argument: "urls", many: true, isJob: true },
  scrape: { method: "POST", argument: "url" },
  batch: { method: "POST", argument: "urls", many: true, isJob: false },
  extract: { method: "POST", argument: "url", optional: true },
  read: { method: "POST", argument: "url" },
  parse: { method: "POST", argument: "file" },
  pdf: { method: "POST", argument: "url", file: "page" },
  screenshot: { method: "POST", argument: "url", file: "screenshot" },
  resolve: { method: "POST", argument: "question" },
  qr: { method: "POST", argument: "data", file: "qr" },
  session: { method: "POST", path: "/sessions" },
  browser: { method: "POST", path: "/browsers", argument: "minutes", isNumber: true },
  health: { method: "GET" },
};
