import { ANYWHERE, type EgressOptions, EgressSession } from "../egress/guard.ts";
import { Deadline } from "../page/deadline.ts";
import { type FetchedDocument, type OpenPage, type PageRequest } from "../page/page.ts";
import { type BrowserEngine, type Visit } from "../page/visit.ts";

/** A request for a page as callers make it who name the page alone. */
export function pageRequestOf(url: string, more: Partial<PageRequest> = {}): PageRequest {
  return {
    url: new URL(url),
    engine: "auto",
    timeoutMs: 10_000,
    waitMs: 0,
    waitUntil: "load",
    selector: undefined,
    userAgent: undefined,
    stealth: false,
    partial: false,
    signal: undefined,
    ...more,
  };
}

/** Makes a visit for `use`, and ends it. */
export async function visiting<T>(
  request: PageRequest,
  use: (visit: Visit) => Promise<T>,
  egressOptions: EgressOptions = { policy: ANYWHERE },
  fetched?: FetchedDocument,
): Promise<T> {
  const deadline = new Deadline(request.timeoutMs, request.signal);
  const egress = new EgressSession({ ...egressOptions, onExcess: (error) => deadline.stop(error) });
  try {
    return await use({ request, egress, deadline, fetched, settles: false, scripted: false });
  } finally {
    deadline.clear();
    egress.close();
  }
}

/** Opens a page in a browser with a visit of its own. */
export function openPage<T>(
  browser: BrowserEngine,
  request: PageRequest,
  use: (page: OpenPage) => Promise<T>,
  egressOptions?: EgressOptions,
): Promise<T> {
  return visiting(request, (visit) => browser.visit(visit, use), egressOptions);
}
