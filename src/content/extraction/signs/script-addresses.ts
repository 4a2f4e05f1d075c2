import { type ScriptAddress } from "../tree/extraction.ts";
import { MAX_ADDRESS_LENGTH } from "./known-scripts.ts";
import { type Survey } from "./survey.ts";

/** Maximum number of external scripts that are examined. */
const MAX_SCRIPTS = 12;

/** Addresses of scripts in the strings of inline code. */
const ADDRESS = /["'`]([^"'`\s<>]{1,300}\.m?js(?:\?[^"'`\s<>]{0,200})?)["'`]/g;

/** File names that bundlers derive from the page, and names of files that pages share. */
const OF_PAGE = /\/(?:app|pages|routes|nodes)\/|(?:^|\/)(?:page|route|index|main|app)[.-]/i;
const SHARED =
  /(?:^|[/._-])(?:framework|vendors?|polyfills?|react|react-dom|vue|runtime|webpack|main-app|scheduler)[.-]/i;

/** Attributes with the addresses of code that Qwik runs without an event of the user. */
const QWIK_EVENTS = ["on:qvisible", "on-document:qinit", "on-document:qidle"];

/** The external scripts of a page. The page's own come before those that a site's pages share. */
export function scriptAddresses(survey: Survey): ScriptAddress[] {
  const { code, source, elements } = survey;
  const found = new Map<string, ScriptAddress & { readonly rank: number }>();
  const add = (address: string | undefined, isModule: boolean, isComponent = false): void => {
    if (address === undefined || address.length > MAX_ADDRESS_LENGTH) return;
    const url = URL.parse(address.trim(), source.finalUrl);
    if (url === null || !/^https?:$/.test(url.protocol)) return;
    const rank = SHARED.test(address) ? 2 : OF_PAGE.test(address) ? 0 : 1;
    const key = url.href.replace(/#.*$/, "");
    if (!found.has(key)) found.set(key, { url: key, isModule, isComponent, rank });
  };
  for (const { address, isModule } of code.unknown) add(address, isModule);
  const base = survey.having("q:base")[0]?.attribs["q:base"] ?? "";
  for (const { name, attribs } of elements) {
    if (name === "astro-island") add(attribs["component-url"], true, true);
    else if (name === "link" && attribs["rel"] === "modulepreload") add(attribs["href"], true);
    for (const event of QWIK_EVENTS) if (event in attribs) add(`${base}${attribs[event]}`, true, true);
  }
  for (const map of code.importMaps) for (const [, address] of map.matchAll(ADDRESS)) add(address, true);
  for (const { code: inline } of code.inline) {
    for (const [, address] of inline.matchAll(ADDRESS)) add(address, /\bimport\b/.test(inline));
  }
  return [...found.values()].toSorted((a, b) => a.rank - b.rank).slice(0, MAX_SCRIPTS);
}
