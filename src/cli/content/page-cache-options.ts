import { type ContentOptions } from "../../content/service.ts";
import { contentPageCache } from "../../gateway/config/schema/content-page-cache.ts";
import { parseJsonOption } from "./json-option.ts";

/** Turns `content.page_cache`, as JSON, into an option of the content service. Throws StartError. */
export function parsePageCacheOptions(json: string): NonNullable<ContentOptions["pageCache"]> {
  const { max_mb: maxMb, hit_price_percent: hitPrice } = parseJsonOption("--page-cache", json, contentPageCache);
  return { maxBytes: maxMb * 1024 * 1024, hitPrice };
}
