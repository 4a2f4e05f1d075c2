import { batch } from "./batch.ts";
import { browser, BROWSER_OPERATIONS } from "./browser.ts";
import { crawl } from "./crawl.ts";
import { extract } from "./extract.ts";
import { health } from "./health.ts";
import { JOB_OPERATIONS, type JobOperation } from "./job-requests.ts";
import { type Operation } from "./operation.ts";
import { map } from "./map.ts";
import { parse } from "./parse.ts";
import { pdf } from "./pdf.ts";
import { qr } from "./qr.ts";
import { read } from "./read.ts";
import { resolve } from "./resolve.ts";
import { scrape } from "./scrape.ts";
import { screenshot } from "./screenshot.ts";
import { search } from "./search.ts";
import { searchContent } from "./search-content.ts";
import { session, SESSION_OPERATIONS } from "./session.ts";

/**
 * All operations of the content service with their prices. The routes, the API's description and the documentation use
 * this list.
 */
export const OPERATIONS: readonly Operation[] = [
  search,
  searchContent,
  map,
  crawl,
  scrape,
  batch,
  extract,
  read,
  parse,
  pdf,
  screenshot,
  resolve,
  qr,
  session,
  browser,
  health,
];

/** All requests about what operations have started. */
export const FREE_REQUESTS: readonly JobOperation[] = [...JOB_OPERATIONS, ...SESSION_OPERATIONS, ...BROWSER_OPERATIONS];
