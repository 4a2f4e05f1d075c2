import { type Sign } from "./sign.ts";
import { type Survey } from "./survey.ts";

/** A page that refreshes itself within this time is a redirect; in seconds. As in the browser's tab. */
const SOON_SECONDS = 1;

/** The delay at the beginning of a refresh (WHATWG HTML §4.2.5.3); "" is none. */
function isSoon(refresh: string): boolean {
  const delay = /^[\s\u0000]{0,99}(\d{0,9})(?:\.[\d.]{0,99})?(?:[\s;,]|$)/.exec(refresh);
  if (delay === null || (delay[1] === "" && !refresh.includes("."))) return false;
  return Number(delay[1]) <= SOON_SECONDS;
}

function refreshes(page: Survey): boolean {
  if (page.source.headers.some(([name, value]) => name.toLowerCase() === "refresh" && isSoon(value))) return true;
  return page
    .having("http-equiv")
    .some(
      ({ name, attribs }) =>
        name === "meta" &&
        attribs["http-equiv"]?.trim().toLowerCase() === "refresh" &&
        isSoon(attribs["content"] ?? ""),
    );
}

/** What leads on to another page, whether scripts are in this one or not. */
export const WAY_SIGNS: readonly Sign[] = [{ name: "refresh", shown: refreshes }];
