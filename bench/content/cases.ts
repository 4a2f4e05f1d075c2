import { SCRIPT_PAGES, STATIC_PAGES } from "./pages.ts";

export interface ContentCase {
  readonly name: string;
  readonly about: string;
  /** The minimum ratio to the alternative; undefined if there is no goal. */
  readonly goal: number | undefined;
  readonly measure: "pages per CPU-second" | "wall time";
  readonly path: string;
  /** Bodies of requests, which are sent in a cycle. */
  bodies(site: string): readonly object[];
  /** Pages that one request loads. */
  readonly pages: number;
  readonly concurrency: number;
}

const statics = (site: string): string[] => [...STATIC_PAGES.keys()].map((path) => site + path);
const scripts = (site: string): string[] => [...SCRIPT_PAGES.keys()].map((path) => site + path);
const one = (url: string): object => ({ url });

const COMMON = { measure: "pages per CPU-second", pages: 1, concurrency: 2 } as const;

/** 20 addresses: the static pages, repeated as often as needed. */
function twenty(site: string): string[] {
  const urls = statics(site);
  return Array.from({ length: 20 }, (_, n) => `${urls[n % urls.length] ?? site}?n=${n}`);
}

export const CASES: readonly ContentCase[] = [
  {
    ...COMMON,
    name: "static",
    about: "articles of pages that need no script",
    goal: 15,
    path: "/read",
    bodies: (site) => statics(site).map(one),
  },
  {
    ...COMMON,
    name: "script",
    about: "pages that a script renders from data it fetches",
    goal: 1.5,
    path: "/read",
    bodies: (site) => scripts(site).map((url) => ({ url, selector: "main" })),
  },
  {
    ...COMMON,
    name: "batch",
    about: "20 pages in one request",
    goal: 3,
    measure: "wall time",
    path: "/batch",
    pages: 20,
    concurrency: 1,
    bodies: (site) => [{ urls: twenty(site) }],
  },
  {
    ...COMMON,
    name: "screenshot",
    about: "1280 x 720, PNG",
    goal: undefined,
    path: "/screenshot",
    bodies: (site) => statics(site).map(one),
  },
  {
    ...COMMON,
    name: "pdf",
    about: "letter, with backgrounds, of pages with lazy pictures",
    goal: undefined,
    path: "/pdf",
    bodies: (site) => statics(site).slice(0, 4).map(one),
  },
  {
    ...COMMON,
    name: "pdf-eager",
    about: "the same of pages without lazy pictures",
    goal: 1,
    path: "/pdf",
    bodies: (site) =>
      statics(site)
        .slice(0, 4)
        .map((url) => one(`${url}?eager`)),
  },
];
