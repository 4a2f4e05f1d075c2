import { TurnpikeError } from "../../lib/errors.ts";
import { DownloadError } from "../page/page-errors.ts";
import { type FetchedResponse, MARK, type PageSource, type SnapshotOptions } from "../page/page.ts";
import { type CdpFields } from "./program/cdp.ts";
import { CLOSED_ROOTS } from "./closed-roots.ts";
import { MEASURE } from "./sight-script.ts";

/** Characters of a page's HTML. A longer page is not readable text. @operator */
const MAX_HTML_LENGTH = 20_000_000;

/**
 * Limits of the frames that are included in a page: their number, their total characters, and the least size in pixels,
 * since smaller frames show no content.
 */
const MAX_FRAMES = 20;
const MAX_FRAMES_LENGTH = 2_000_000;
const MIN_FRAME_WIDTH = 100;
const MIN_FRAME_HEIGHT = 50;
const MAX_FRAME_DEPTH = 3;

/** Elements that show a document. */
const FRAME = "iframe, object, embed";

/**
 * Returns the HTML of the frames of a document that its own scripts could read, by their elements. The frames are
 * copied into an inert document. URLs in them are made absolute, because a frame has its own base URL.
 */
const FRAMES = `((top) => {
  let left = ${MAX_FRAMES};
  let length = ${MAX_FRAMES_LENGTH};
  // An embed element does not give its document.
  const embeddedIn = ({ defaultView }) => {
    const found = new Map();
    for (let at = 0; at < Math.min(defaultView?.length ?? 0, ${MAX_FRAMES}); at += 1) {
      try {
        const { frameElement, document } = defaultView[at];
        if (frameElement?.localName === "embed") found.set(frameElement, document);
      } catch {
        // It belongs to another origin.
      }
    }
    return found;
  };
  const framesOf = (from, depth) => {
    const found = new Map();
    if (depth >= ${MAX_FRAME_DEPTH}) return found;
    const embedded = embeddedIn(from);
    for (const frame of from.querySelectorAll("${FRAME}")) {
      const inner = frame.contentDocument ?? embedded.get(frame) ?? null;
      if (left <= 0 || length <= 0) break;
      if (inner === null || inner.body === null || !frame.checkVisibility()) continue;
      if (frame.clientWidth < ${MIN_FRAME_WIDTH} || frame.clientHeight < ${MIN_FRAME_HEIGHT}) continue;
      left -= 1;
      const html = bodyOf(inner, depth + 1);
      length -= html.length;
      if (html.trim() !== "" && length > 0) found.set(frame, html);
    }
    return found;
  };
  const bodyOf = (inner, depth) => {
    const within = framesOf(inner, depth);
    const frames = [...inner.querySelectorAll("${FRAME}")];
    const copy = document.implementation.createHTMLDocument("").importNode(inner.body, true);
    [...copy.querySelectorAll("${FRAME}")].forEach((frame, at) => {
      const html = within.get(frames[at]);
      if (html === undefined) return;
      const section = frame.ownerDocument.createElement("section");
      section.innerHTML = html;
      frame.replaceWith(section);
    });
    for (const element of copy.querySelectorAll("script, style")) element.remove();
    for (const name of ["href", "src"]) {
      for (const element of copy.querySelectorAll("[" + name + "]")) {
        const address = URL.parse(element.getAttribute(name), inner.baseURI);
        if (address !== null) element.setAttribute(name, address.href);
      }
    }
    return copy.innerHTML;
  };
  return framesOf(top, 0);
})`;

/** The fields of a page other than its text. */
const ABOUT = `({
  contentType: document.contentType,
  finalUrl: location.href,
  statusCode: performance.getEntriesByType("navigation")[0]?.responseStatus ?? 0,
})`;

/** Types that the browser shows as plain text, in one element that it creates. */
const TEXT_TYPES = String.raw`/^text\/(?!html$|xml$)|[\/+]json$|javascript$|ecmascript$/`;
const XML_TYPES = String.raw`/[\/+]xml$/`;

/**
 * Runs in a separate world, in which the page cannot redefine functions. It writes open shadow roots as declarative
 * ones (`<template shadowrootmode>`), because they hold the content of web components. A frame's content is another
 * document. The marks exist only while the HTML is written: observers of the page run later. An XML document without a
 * style sheet is shown in a viewer, which keeps the original document in an element with its own id.
 */
const READ = `((marks, withFrames, measures) => {
  const { documentElement: root, contentType } = document;
  const about = ${ABOUT};
  const give = (text, more) => text.length > ${MAX_HTML_LENGTH} ? { tooLong: true } : { ...about, ...more, text };
  if (root === null) return give("");
  if (${TEXT_TYPES}.test(contentType)) return give(document.querySelector("pre")?.textContent ?? "");
  if (contentType !== "application/xhtml+xml" && ${XML_TYPES}.test(contentType)) {
    const kept = document.getElementById("webkit-xml-viewer-source-xml");
    const write = (node) => new XMLSerializer().serializeToString(node);
    return give(kept === null ? write(document) : [...kept.childNodes].map(write).join(""));
  }
  if (contentType !== "text/html" && contentType !== "application/xhtml+xml") return { noPage: true };
  const bad = [];
  const found = new Map();
  marks.forEach((selector, place) => {
    try {
      for (const element of document.querySelectorAll(selector)) {
        found.set(element, found.has(element) ? found.get(element) + " " + place : String(place));
      }
    } catch { bad.push(place); }
  });
  if (bad.length > 0) return { bad };
  const forged = [...document.querySelectorAll("[${MARK}]")].map((element) => [element, element.getAttribute("${MARK}")]);
  for (const [element] of forged) element.removeAttribute("${MARK}");
  for (const [element, places] of found) element.setAttribute("${MARK}", places);
  const frames = withFrames ? [...${FRAMES}(document)] : [];
  // Pages that came without TLS have no randomUUID.
  const newName = () => "data-" + crypto.getRandomValues(new Uint32Array(4)).join("-");
  const mark = newName();
  const sight = newName();
  frames.forEach(([frame], at) => frame.setAttribute(mark, at));
  const shadowRoots = [...globalThis.${CLOSED_ROOTS} ?? []].filter(({ host }) => host.isConnected);
  for (let at = -1; at < shadowRoots.length; at += 1) {
    for (const { shadowRoot } of (shadowRoots[at] ?? document).querySelectorAll("*")) {
      if (shadowRoot !== null) shadowRoots.push(shadowRoot);
    }
  }
  const measured = measures ? ${MEASURE}(globalThis.${CLOSED_ROOTS} ?? []) : undefined;
  for (const [element, value] of measured ?? []) element.setAttribute(sight, value);
  const hollow = root.cloneNode(false).outerHTML;
  const end = hollow.lastIndexOf("</");
  // Written in an HTML document, XHTML is HTML; the shadow roots of its rare components are not copied.
  const html = contentType !== "text/html"
    ? document.implementation.createHTMLDocument("").importNode(root, true).outerHTML
    : shadowRoots.length === 0 ? root.outerHTML
    : hollow.slice(0, end) + root.getHTML({ shadowRoots }) + hollow.slice(end);
  for (const element of found.keys()) element.removeAttribute("${MARK}");
  for (const [element, places] of forged) element.setAttribute("${MARK}", places);
  for (const [frame] of frames) frame.removeAttribute(mark);
  for (const element of measured?.keys() ?? []) element.removeAttribute(sight);
  const { doctype } = document;
  // Nothing ends plain text: what a browser writes behind it would be read as more of it.
  const plain = document.querySelector("plaintext") === null ? -1 : html.lastIndexOf("</plaintext>");
  const whole = plain === -1 ? html : html.slice(0, plain);
  const place = new RegExp("<(?:embed[^>]* " + mark + '="(\\\\d+)"[^>]*>|(iframe|object)[^>]* ' + mark + '="(\\\\d+)"[^>]*>[^]*?</\\\\2>)', "g");
  const written = frames.length === 0 ? whole : whole.replace(place, (_, embed, name, at = embed) => (measured ? "<section " + sight + '="">' : "<section>") + frames[at][1] + "</section>");
  return give((doctype === null ? "" : new XMLSerializer().serializeToString(doctype) + "\\n") + written, measured && { sight });
})`;

/** The script that reads the page as it stands. `sourceOf` reads its result. */
export function readScript({ mark = {}, withFrames = false, measures = false }: SnapshotOptions): string {
  return `${READ}(${JSON.stringify(Object.values(mark))}, ${withFrames}, ${measures})`;
}

/** The script that reads an HTML page without its text if a condition is true. Its result is null otherwise. */
export function glimpseScript(condition: string): string {
  return `document.contentType === "text/html" && document.body !== null && (${condition}) ? { ...${ABOUT}, text: "" } : null`;
}

/**
 * Makes a source from the script's result. `shown` is the fetched document that the tab shows, if its bytes are
 * available.
 */
export function sourceOf(
  read: CdpFields,
  mark: Readonly<Record<string, string>>,
  shown: (url: string) => FetchedResponse | undefined,
): PageSource {
  if (read["tooLong"] === true) {
    throw new TurnpikeError("page-failed", `Cannot read the page: it has more than ${MAX_HTML_LENGTH} characters`);
  }
  if (read["noPage"] === true) throw new DownloadError("Cannot read the page: its type has no text");
  if (Array.isArray(read["bad"])) throw badSelectors(read["bad"], Object.keys(mark));
  const finalUrl = String(read["finalUrl"]);
  const status = Number(read["statusCode"]);
  const given = shown(finalUrl);
  const type = given?.headers.find(([name]) => name.toLowerCase() === "content-type")?.[1];
  return {
    engine: "browser",
    body: String(read["text"]),
    finalUrl,
    statusCode: given?.statusCode ?? (status === 0 ? undefined : status),
    contentType: type ?? String(read["contentType"]),
    headers: given?.headers ?? [],
    complete: true,
    ...(typeof read["sight"] === "string" ? { sight: { mark: read["sight"] } } : {}),
  };
}

function badSelectors(places: readonly unknown[], names: readonly string[]): TurnpikeError {
  const bad = places.map((place) => names[Number(place)] ?? "");
  const errors = bad.map((name) => ({ path: `selectors.${name}`, message: "is not a CSS selector" }));
  return new TurnpikeError(
    "invalid-parameters",
    `Cannot use the selectors: '${bad[0] ?? ""}' is not a valid selector`,
    errors,
  );
}
