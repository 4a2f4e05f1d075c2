import { type Sign } from "./sign.ts";
import { type Survey, type Surveyed } from "./survey.ts";

/** Seconds. A page with a shorter refresh is a redirect, as in the browser's tab. */
const SOON_SECONDS = 1;

/** Whether the delay of a refresh (WHATWG HTML §4.2.5.3) is short. "" is not a refresh. */
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

/** Minimum width in pixels of a frame that shows content. */
const MIN_FRAME_WIDTH = 100;
const MIN_FRAME_HEIGHT = 50;

/** Whether an element is a frame with a document of the same site. */
function isFrame({ name, attribs, chrome, hidden }: Surveyed, page: Survey): boolean {
  if (chrome || hidden) return false;
  if (isLess(attribs["width"], MIN_FRAME_WIDTH) || isLess(attribs["height"], MIN_FRAME_HEIGHT)) return false;
  if (attribs["srcdoc"] !== undefined) return attribs["srcdoc"].trim() !== "";
  const given = name === "object" ? attribs["data"] : attribs["src"];
  if (name !== "iframe" && !isDocument(attribs["type"], given ?? "")) return false;
  const address = URL.parse(given?.trim() ?? "", page.source.finalUrl);
  // A script fills a frame that has no address.
  return given !== undefined && address !== null && address.origin === URL.parse(page.source.finalUrl)?.origin;
}

/** Whether an object shows a document. If it has no type, its address tells whether it is a video or a picture. */
function isDocument(type: string | undefined, address: string): boolean {
  if (type !== undefined && type !== "") return /^(?:text\/html|application\/xhtml\+xml)\b/i.test(type.trim());
  const [path = ""] = address.split(/[?#]/, 1);
  const extension = /\.([a-z\d]{1,5})$/i.exec(path)?.[1]?.toLowerCase();
  return extension === undefined || DOCUMENTS.has(extension);
}

const DOCUMENTS = new Set(["html", "htm", "xhtml", "php", "asp", "aspx", "jsp", "cgi"]);

function isLess(size: string | undefined, least: number): boolean {
  return size !== undefined && /^\d{1,6}(?:px)?$/.test(size.trim()) && Number.parseInt(size, 10) < least;
}

const FRAMES = ["iframe", "object", "embed"];

/** Signs that the content is in another document. They count even if the page has no scripts. */
export const DOCUMENT_SIGNS: readonly Sign[] = [
  { name: "refresh", shown: refreshes },
  { name: "frame", shown: (page) => FRAMES.some((name) => page.named(name).some((element) => isFrame(element, page))) },
];
