import { cut } from "../../lib/cut-text.ts";

/** Characters of a page's title; what a page calls its title may be megabytes. */
const MAX_TITLE = 1000;

/** A title as it is given out. */
export function cutTitle(title: string): string {
  return cut(title.trim(), MAX_TITLE);
}
