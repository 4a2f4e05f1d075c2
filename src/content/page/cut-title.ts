import { cut } from "../../lib/text/cut-text.ts";

/** Maximum number of characters of a page's title. A title element can hold megabytes. */
const MAX_TITLE = 1000;

/** Shortens a title for a response. */
export function cutTitle(title: string): string {
  return cut(title.trim(), MAX_TITLE);
}
