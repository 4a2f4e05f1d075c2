import { imageSource } from "../images.ts";
import { type Sign } from "./sign.ts";
import { type Survey, type Surveyed } from "./survey.ts";

/** A spinner in a page with more text than this belongs to something a person opens; in characters. */
const SPINNER_TEXT = 2000;

const SKELETON =
  /(?:^|[\s_-])(?:skeletons?|shimmer|placeholder-(?:glow|wave)|content-loader|is-skeleton|ghost-(?:line|block))(?:$|[\s_-])/i;
const SPINNER = /(?:^|[\s_-])(?:spinner|loading|loader|loading-indicator|throbber|lds-\w{1,20})(?:$|[\s_-])/i;

/** A text that is nothing but the notice that a part of the page is on its way. */
const LOADING =
  /^(?:(?:still\s|now\s)?loading(?:\s[\w\s]{1,40})?|please wait|one moment(?: please)?|(?:wird |inhalte? )?(?:ge)?lade[nt](?:\s\w{1,20})?|bitte warten|chargement(?:\s[\w\s]{1,30})?|veuillez patienter|cargando|carregando|caricamento|ładowanie|načítání|yükleniyor|laddar|indlæser|laster|ladataan|загрузка|読み込み中|加载中|正在加载|載入中|로딩 ?중|불러오는 중)\s{0,3}(?:…|\.{2,3}|。{2,3})$/i;

function isSkeleton({ attribs, chrome, hidden }: Surveyed): boolean {
  if (chrome || hidden) return false;
  return attribs["aria-busy"] === "true" || SKELETON.test(attribs["class"] ?? "");
}

function hasPlaceholder({ elements, phrases, contentText }: Survey): boolean {
  if (phrases.some(({ text, hidden, code }) => !hidden && !code && LOADING.test(text))) return true;
  if (elements.some((element) => isSkeleton(element))) return true;
  if (contentText >= SPINNER_TEXT) return false;
  return elements.some(({ attribs, chrome, hidden }) => !chrome && !hidden && SPINNER.test(attribs["class"] ?? ""));
}

const LATE_ADDRESSES = ["data-src", "data-lazy-src", "data-original", "data-lazy", "data-srcset", "data-lazy-srcset"];

/** A picture that a script puts another one in the place of, and that does not look like a placeholder. */
function isLatePicture({ element, name, attribs, hidden }: Surveyed): boolean {
  if (name !== "img" || hidden || !LATE_ADDRESSES.some((attribute) => attribs[attribute] !== undefined)) return false;
  const src = attribs["src"]?.trim() ?? "";
  return src !== "" && src !== attribs["data-src"] && imageSource(element) === src;
}

const ENDLESS =
  /(?:^|[\s_-])(?:infinite-?scroll\w{0,12}|endless|scroll-sentinel|sentinel|load-more-trigger|jscroll|waypoint-infinite)(?:$|[\s_-])/i;

function isEndless({ attribs, hidden }: Surveyed): boolean {
  if (hidden) return false;
  return (
    ENDLESS.test(`${attribs["class"] ?? ""} ${attribs["id"] ?? ""}`) || attribs["data-infinite-scroll"] !== undefined
  );
}

/** Text that scripts write over: addresses that a proxy hides, times as "3 hours ago", numbers that count up. */
function isRewritten({ name, attribs, text }: Surveyed): boolean {
  if (
    attribs["data-cfemail"] !== undefined ||
    (name === "a" && attribs["href"]?.includes("/cdn-cgi/l/email-protection"))
  ) {
    return true;
  }
  const classes = attribs["class"] ?? "";
  if (/(?:^|\s)(?:timeago|js-time-?ago|relative-time|moment|local-?time)(?:$|\s)/i.test(classes)) return true;
  if (attribs["data-livestamp"] !== undefined || attribs["data-timeago"] !== undefined) return true;
  return text <= 2 && COUNTERS.some((attribute) => /^[\d.,\s]{1,20}$/.test(attribs[attribute] ?? ""));
}

const COUNTERS = ["data-target", "data-count", "data-to", "data-counter", "data-count-to", "data-value", "data-number"];

/** Scripts that turn what is written into something else: formulas, diagrams, whole documents of Markdown. */
const TRANSFORMERS =
  /\bmathjax\b|\/(?:tex-(?:mml-)?(?:chtml|svg)|latest)\.js|katex[\w./@-]{0,60}auto-render|\bmermaid\b|\/(?:zero-md|docsify|marked|showdown|markdown-it|strapdown|remark)[\w.@/-]{0,60}\.js|asciinema|viz\.js|vega-embed|emojione|twemoji|google-code-prettify/i;

function isTransformed({ unknown, inline }: Survey): boolean {
  return (
    unknown.some((src) => TRANSFORMERS.test(src)) ||
    inline.some(({ code }) => /\b(?:MathJax|mermaid|renderMathInElement)\b/.test(code))
  );
}

/** A highlighter finds the language of a block that does not name it, and names it. */
function isHighlighted({ unknown, elements }: Survey): boolean {
  if (!unknown.some((src) => /(?:^|[/.-])(?:highlight|hljs)[\w.-]{0,40}\.js/i.test(src))) return false;
  return elements.some(
    ({ name, attribs, parent }) =>
      name === "code" &&
      elements[parent]?.name === "pre" &&
      !/(?:^|\s)(?:lang(?:uage)?-|no-?highlight)/.test(
        `${attribs["class"] ?? ""} ${elements[parent].attribs["class"] ?? ""}`,
      ),
  );
}

/** Whether more is hidden than shown: the page, or the part that matters, waits for its script to uncover it. */
function isCovered({ text, hiddenText }: Survey): boolean {
  return hiddenText > text;
}

function anyElement(fits: (element: Surveyed) => boolean): Sign["shown"] {
  return ({ elements }: Survey) => elements.some((element) => fits(element));
}

/** What stands in the place of content. Each of them needs code that runs. */
export const CONTENT_SIGNS: readonly Sign[] = [
  { name: "placeholder", shown: hasPlaceholder },
  { name: "hidden-page", shown: isCovered },
  { name: "late-picture", shown: anyElement(isLatePicture) },
  { name: "infinite-scroll", shown: anyElement(isEndless) },
  { name: "rewritten-text", shown: anyElement(isRewritten) },
  { name: "transformed-text", shown: isTransformed },
  { name: "guessed-language", shown: isHighlighted },
];
