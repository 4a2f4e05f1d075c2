import { type BrowsingState } from "../page/browsing-state.ts";
import { type Pages } from "../page-reader/page-reader.ts";

/** Loads pages with the cookies and the storage of a session, and keeps theirs in it. */
export function inSession(pages: Pages, session: BrowsingState): Pages {
  return {
    read: (request, task) => pages.read({ ...request, session }, task),
    open: (request, use) => pages.open({ ...request, session }, use),
    show: (request, use, other) => pages.show({ ...request, session }, use, other),
  };
}
