import { folded } from "./folded.ts";
import { type PageMetadata } from "./metadata.ts";

/** Maximum number of characters of a title and of a site's name. */
const MAX_TITLE_LENGTH = 500;
const MAX_NAME_LENGTH = 80;
/** Minimum number of letters of a site's name. */
const MIN_LETTERS = 2;
/** Between a title and the name of a site. */
const SEPARATOR = String.raw`\s*[|｜\-–—―‐·•»«›‹:：/／\\_~<>【】\[\]()（）「」『』,，]`;
const ENDS_SEPARATED = new RegExp(`${SEPARATOR}\\s*$`, "u");
const STARTS_SEPARATED = new RegExp(`^${SEPARATOR}`, "u");
/** The end of the text of a logo, after the name of its site. */
export const LOGO = /\s+(?:logo|banner|home(?:page)?)$/i;

/**
 * The name of a page's site: the declared one, otherwise the text of a link to the start page that is a part of the
 * document's title, preferably the last one. Empty if both are missing.
 */
export function siteNameOf({ siteName, title, homes }: PageMetadata, url: string): string {
  if (siteName !== "") return siteName;
  const line = title.slice(0, MAX_TITLE_LENGTH).replace(/\s+/g, " ").trim().toLowerCase();
  let best = { rank: 0, name: "" };
  const host = URL.parse(url)?.hostname ?? "";
  for (const { href, text } of homes) {
    const to = URL.parse(href, url)?.hostname.replace(/^www\./, "");
    if (to === undefined || (host !== to && !host.endsWith(`.${to}`))) continue;
    const name = text.replace(LOGO, "").trim();
    if (name.length > MAX_NAME_LENGTH || folded(name).length < MIN_LETTERS) continue;
    const rank = rankIn(line, name.toLowerCase());
    if (rank > best.rank) best = { rank, name };
  }
  return best.name;
}

/** 3 for a name at the end of a title after a separator, 2 for one between separators, 1 at the beginning, otherwise 0. */
function rankIn(title: string, name: string): number {
  const at = title.lastIndexOf(name);
  if (at === -1 || title.length === name.length) return 0;
  const before = title.slice(0, at);
  const after = title.slice(at + name.length);
  const isAfter = ENDS_SEPARATED.test(before);
  if (/^[】」』\])）]?$/u.test(after)) return isAfter && before.length > 1 ? 3 : 0;
  if (!STARTS_SEPARATED.test(after)) return 0;
  if (/^[【「『[(（]?$/u.test(before)) return 1;
  return isAfter ? 2 : 0;
}
