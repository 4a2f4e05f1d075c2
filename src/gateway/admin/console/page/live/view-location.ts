import { Store } from "../api/store.ts";

/** The user's place in the console: `#/routes/edit?prefix=/a` is the view `routes/edit` with its query. */
export interface ViewLocation {
  readonly view: string;
  readonly query: URLSearchParams;
}

function locationOf(hash: string): ViewLocation {
  const [view = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return { view: view === "" ? "overview" : view, query: new URLSearchParams(query) };
}

export const viewLocation = new Store<ViewLocation>(locationOf(location.hash));

addEventListener("hashchange", () => {
  // Links within a page are not places.
  if (location.hash === "" || location.hash.startsWith("#/")) viewLocation.set(locationOf(location.hash));
});

export function linkTo(view: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const named = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const text = new URLSearchParams(named).toString();
  return `#/${view}${text === "" ? "" : `?${text}`}`;
}

export function goTo(link: string): void {
  location.hash = link;
}
