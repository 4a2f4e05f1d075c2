import { type Sign } from "./sign.ts";
import { type Survey, type Surveyed } from "./survey.ts";

const SKELETON =
  /(?:^|[\s_-])(?:skeletons?|shimmer|placeholder-(?:glow|wave)|content-loader|is-skeleton|ghost-(?:line|block))(?:$|[\s_-])/i;
/** A text that consists of a loading notice. */
const LOADING =
  /^(?:(?:still\s|now\s)?loading(?:\s[\w\s]{1,40})?|please wait|one moment(?: please)?|(?:wird |inhalte? )?(?:ge)?lade[nt](?:\s\w{1,20})?|bitte warten|chargement(?:\s[\w\s]{1,30})?|veuillez patienter|cargando|carregando|caricamento|ładowanie|načítání|yükleniyor|laddar|indlæser|laster|ladataan|загрузка|読み込み中|加载中|正在加载|載入中|로딩 ?중|불러오는 중)\s{0,3}(?:…|\.{2,3}|。{2,3})$/i;

function isContent({ chrome, hidden }: Surveyed): boolean {
  return !chrome && !hidden;
}

function hasPlaceholder(page: Survey): boolean {
  if (page.phrases.some(({ text, hidden, code }) => !hidden && !code && LOADING.test(text))) return true;
  if (page.having("aria-busy").some((element) => element.attribs["aria-busy"] === "true" && isContent(element)))
    return true;
  return page.elements.some((element) => isContent(element) && SKELETON.test(element.attribs["class"] ?? ""));
}

/** Scripts that convert text: formulas, diagrams, whole Markdown documents. */
const TRANSFORMERS =
  /\bmathjax\b|\/(?:tex-(?:mml-)?(?:chtml|svg)|latest)\.js|(?:katex[\w./@-]{0,60}|\/)auto-render[\w.-]{0,20}\.js|\bmermaid\b|\/(?:zero-md|docsify|marked|showdown|markdown-it|strapdown|remark)[\w.@/-]{0,60}\.js|asciinema|viz\.js|vega-embed|emojione|twemoji|google-code-prettify/i;

function isTransformed({ code: { unknown, inline } }: Survey): boolean {
  return (
    unknown.some(({ address }) => TRANSFORMERS.test(address)) ||
    inline.some(({ isModule, code }) => isModule && /^\s*import\b/m.test(code) && TRANSFORMERS.test(code))
  );
}

/** Signs of content that scripts add or replace. Each sign counts only if the page has code that runs. */
export const CONTENT_SIGNS: readonly Sign[] = [
  { name: "placeholder", shown: hasPlaceholder },
  // A script probably shows the hidden text.
  { name: "hidden-page", shown: ({ text, hiddenText }) => hiddenText > text },
  { name: "transformed-text", shown: isTransformed },
];
