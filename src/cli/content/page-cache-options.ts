import { type ContentOptions } from "../../content/content-options.ts";
import { contentJobs } from "../../gateway/config/schema/content-jobs.ts";
import { contentPageCache } from "../../gateway/config/schema/content-page-cache.ts";
import { messageOf } from "../../lib/caught.ts";
import { openConfiguredPages } from "../../store/open/configured-store.ts";
import { type PageStore, type PageStoreOptions } from "../../store/page-store.ts";
import { StartError } from "../common/start-error.ts";
import { parseJsonOption } from "./json-option.ts";

/**
 * Turns `content.page_cache` and `content.jobs`, as JSON, into options of the content service. Extractors are data of clients, as
 * jobs and sessions are, and in the same database. Throws StartError.
 */
export function parsePageCacheOptions(
  json: string,
  jobs: string,
): Pick<ContentOptions, "pageCache" | "openExtractors"> {
  const options = parseJsonOption("--page-cache", json, contentPageCache);
  const { postgres } = parseJsonOption("--jobs", jobs, contentJobs);
  const { max_mb: maxMb, versions_mb: versionsMb, hit_price_percent: hitPrice, shared } = options;
  const openWith =
    (connections: number) =>
    (store: PageStoreOptions): PageStore => {
      const pages = pagesOf(() => openConfiguredPages({ ...postgres, pool_size: connections }, store));
      if (pages === undefined) throw new StartError("Cannot share pages: content.jobs.postgres has no url");
      return pages;
    };
  return {
    pageCache: {
      maxBytes: maxMb * 1024 * 1024,
      versionBytes: versionsMb * 1024 * 1024,
      hitPrice,
      ...(shared ? { open: openWith(postgres.pool_size) } : {}),
    },
    ...(postgres.url === "" ? {} : { openExtractors: openWith(1) }),
  };
}

function pagesOf<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw new StartError(messageOf(error));
  }
}
