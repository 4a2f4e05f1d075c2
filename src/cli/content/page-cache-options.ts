import { type ContentOptions } from "../../content/service.ts";
import { contentPageCache } from "../../gateway/config/schema/content-page-cache.ts";
import { parseJsonOption } from "./json-option.ts";

/** Turns `content.page_cache`, as JSON, into an option of the content service. Throws StartError. */
export function parsePageCacheOptions(json: string): NonNullable<ContentOptions["pageCache"]> {
  const options = parseJsonOption("--page-cache", json, contentPageCache);
  const { max_mb: maxMb, versions_mb: versionsMb, hit_price_percent: hitPrice } = options;
  return { maxBytes: maxMb * 1024 * 1024, versionBytes: versionsMb * 1024 * 1024, hitPrice };
}
