import { isHarmless, isKnownSnippet } from "./known-scripts.ts";
import { type Sign } from "./sign.ts";
import { type InlineScript } from "./page-code.ts";
import { type Survey } from "./survey.ts";
import { withoutRanges } from "./without-ranges.ts";

/**
 * Code that changes the page's content. It is searched in `bare` code, because a string may contain similar text as
 * data.
 */
const WRITES =
  /\b(?:inner|outer)HTML\s{0,9}\+?=(?!=)|\binsertAdjacent(?:HTML|Text|Element)\b|\b(?:textContent|innerText|outerText|nodeValue)\s{0,9}\+?=(?!=)|\.(?:replaceWith|replaceChildren|replaceChild|setHTML|setHTMLUnsafe|createContextualFragment|importNode)\s{0,9}\(|\.hidden\s{0,9}=(?!=)|\.style\.(?:display|visibility)\s{0,9}=(?!=)|\bdocument\.title\s{0,9}=(?!=)|(?<!classList|currentScript)\.remove\(\s{0,9}\)/;

/** Calls of jQuery and similar libraries that change the page's content. */
const LIBRARY_WRITES =
  /\.(?:html|text)\s{0,9}\(\s{0,9}[^\s)]|\.(?:appendTo|prependTo|insertAfter|wrap|wrapAll|wrapInner|unwrap|detach|empty|replaceAll|hide|show|fadeIn|fadeOut|slideUp|slideDown)\s{0,9}\(|\)\.toggle\s{0,9}\(|\.load\s{0,9}\(\s{0,9}(?:["'`]|this\.href\b|\$\(\s{0,3}this\s{0,3}\)\.(?:attr|data)\b)/;

/** The same, for attributes and properties whose names are in strings. */
const NAMED_WRITES =
  /\bsetAttribute\s{0,9}\(\s{0,9}(?:[^\s"'`]|["'`](?:href|src|srcset|alt|hidden|style|start|value|open)["'`])|\bremoveAttribute\s{0,9}\(\s{0,9}(?:[^\s"'`]|["'`](?:hidden|style|href|src)["'`])|\btoggleAttribute\s{0,9}\(\s{0,9}["'`]hidden|\[\s{0,9}["'`](?:innerHTML|outerHTML|textContent|innerText|write)["'`]\s{0,9}\]|\.attr\s{0,9}\(\s{0,9}["'`](?:href|src|hidden|style)["'`]\s{0,9},|\.css\s{0,9}\(\s{0,9}["'`{]\s{0,9}(?:display|visibility)|\.style\.(?:removeProperty|setProperty)\s{0,9}\(\s{0,9}["'`](?:display|visibility)["'`]|\.(?:removeAttr|prop)\s{0,9}\(\s{0,9}["'`](?:hidden|style)["'`]/;

/** Calls that insert an element. Code that only loads scripts or styles uses them too. */
const INSERTIONS =
  /\.(?:appendChild|insertBefore|append|prepend|before|after|removeChild)\s{0,9}\(|\bcreateElement(?:NS)?\s{0,9}\(|\.(?:src|srcset|href|alt)\s{0,9}=(?!=)/;

const CREATES = /\bcreateElement(?:NS)?\s{0,9}\(\s{0,9}(?:["'`]([\w:-]{1,40})["'`]|[^\s"'`])?/g;

/** Elements without visible content. */
const WITHOUT_CONTENT = new Set(["script", "link", "style", "canvas", "meta"]);

const NEW_IMAGE = /\bnew\s{1,9}Image\b/;

/** Whether a script only adds scripts, styles and tracking pixels to the page. */
function onlyLoads({ code, bare }: InlineScript): boolean {
  if (isKnownSnippet(code)) return true;
  const created = [...code.matchAll(CREATES)];
  if (created.length > 0) return created.every((match) => WITHOUT_CONTENT.has(match[1]?.toLowerCase() ?? ""));
  return NEW_IMAGE.test(bare) && !/\.(?:appendChild|insertBefore|append|prepend|before|after)\s{0,9}\(/.test(bare);
}

const YEAR = String.raw`new\s{1,3}Date(?:\s{0,3}\(\s{0,3}\))?\s{0,3}\)?\.getFullYear\(\s{0,3}\)`;
/** Strings without their contents, beside the year: `"© " +`. */
const WITH_STRINGS = String.raw`(?:["'\`]\s{0,99}["'\`]\s{0,3}\+\s{0,3}|\(\s{0,3}){0,3}`;
const KEPT_YEAR = new RegExp(`(?<![\\w$.])([\\w$]{1,40})\\s{0,3}=\\s{0,3}\\(?${YEAR}`);

/** Removes code that only displays the present year, as footers do. */
function withoutYear<Code extends Pick<InlineScript, "code" | "bare">>(script: Code): Code {
  const { code, bare } = script;
  if (!bare.includes("getFullYear")) return script;
  const kept = KEPT_YEAR.exec(bare)?.[1]?.replaceAll("$", "\\$");
  const year = kept === undefined ? YEAR : `(?:${YEAR}|${kept}(?![\\w$.(]))`;
  const shown = new RegExp(
    `(?:\\.(?:textContent|innerText|innerHTML)\\s{0,3}=|\\bdocument\\.write(?:ln)?\\s{0,3}\\(|\\.(?:text|html)\\s{0,3}\\()\\s{0,3}${WITH_STRINGS}${year}(?!\\s{0,3}[-*/<>=?%])`,
    "g",
  );
  const ranges = Array.from(bare.matchAll(shown), ({ index, 0: { length } }) => [index, index + length] as const);
  return { ...script, code: withoutRanges(code, ranges), bare: withoutRanges(bare, ranges) };
}

/** Elements in the head are not visible. */
const INTO_HEAD = /\bdocument\.head\.(?:insertAdjacent\w{4,7}|append(?:Child)?|prepend|insertBefore)\b/g;

function writes(whole: InlineScript): boolean {
  const script = withoutYear(whole);
  const { code } = script;
  const bare = script.bare.replace(INTO_HEAD, "");
  if (WRITES.test(bare) || LIBRARY_WRITES.test(bare)) return true;
  return (NAMED_WRITES.test(code) || INSERTIONS.test(bare)) && !onlyLoads(script);
}

/** document.write of a script, such as the site's own copy of jQuery if the copy from another host failed to load. */
const WRITES_SCRIPT =
  /\bdocument\.write(?:ln)?\s{0,9}\(\s{0,9}(["'`])\s{0,9}<script\b[^<>]{1,300}>\s{0,9}<?\\?(?:\\x3C)?\/?(?:script>)?\1/gi;
const WRITES_DOCUMENT = /\bdocument\.(?:write(?:ln)?|open)\s{0,9}\(/g;

/** Whether a script writes into the document, except for the elements of other scripts. */
export function writesDocument(script: Pick<InlineScript, "code" | "bare">): boolean {
  const { code, bare } = withoutYear(script);
  const calls = bare.match(WRITES_DOCUMENT)?.length ?? 0;
  return calls > 0 && calls > (code.match(WRITES_SCRIPT)?.length ?? 0);
}

const LEAVES =
  /(?<![\w$.]|top\.|parent\.)(?:(?:window|document|self|globalThis)\.)?location(?:\.(?:href|search|pathname))?\s{0,9}=(?!=)|\blocation\.(?:replace|assign|reload)\s{0,9}\(/;
/** A call that makes a library put content into an element. */
const MOUNTS =
  /\bcreateApp\s{0,9}\(|\bcreateRoot\s{0,9}\(|\bReactDOM\.render\s{0,9}\(|\bnew\s{1,9}(?:Vue|Ractive|Marionette|Moon)\b|\bElm\.[\w.]{1,80}\.init\s{0,9}\(|(?<!grecaptcha|hcaptcha|turnstile)\.(?:mount|bootstrap|applyBindings)\s{0,9}\(|\bapplyBindings\s{0,9}\(|(?<![\w$.])(?:render|mount)\w{0,30}\s{0,9}\(|\bangular\.module\s{0,9}\(/;

const FETCHES =
  /(?<![\w$.])fetch\s{0,9}\(|\bXMLHttpRequest\b|\$\.(?:get|post|getJSON|ajax|getScript)\s{0,9}\(|\baxios\b|\bnew\s{1,9}(?:EventSource|WebSocket)\b/;
const READS =
  /\.(?:json|text|arrayBuffer)\s{0,9}\(\s{0,9}\)|\bresponse(?:Text|XML)?\b|\.then\s{0,9}\(|\bawait\b|\bonmessage\b|\bsuccess\b|\.done\s{0,9}\(|\$\.(?:get|post|getJSON|ajax)/;

const EVALUATES = /(?<![\w$.])eval\s{0,9}\(|\bnew\s{1,9}Function\s{0,9}\(|\batob\s{0,9}\(/;

/** Makes a condition: the page has an inline script that runs without user action and meets `fits`. */
function anyOf(fits: (script: InlineScript) => boolean): Sign["shown"] {
  return ({ code }: Survey) => code.inline.some((script) => fits(script));
}

/** Signs in inline scripts that run while the page loads. */
export const INLINE_SIGNS: readonly Sign[] = [
  { name: "script-redirect", shown: anyOf(({ bare }) => LEAVES.test(bare)) },
  { name: "document-write", shown: anyOf(writesDocument) },
  { name: "shadow-root", shown: anyOf(({ bare }) => /\.attachShadow\s{0,9}\(/.test(bare)) },
  { name: "mount-call", shown: anyOf(({ bare }) => MOUNTS.test(bare)) },
  { name: "script-writes", shown: anyOf(writes) },
  {
    name: "data-request",
    shown: anyOf(({ code, bare }) => FETCHES.test(bare) && READS.test(bare) && !isKnownSnippet(code)),
  },
  { name: "evaluated-code", shown: anyOf(({ code, bare }) => EVALUATES.test(bare) && !isKnownSnippet(code)) },
];

/** Whether a page's own code changes the visible page. */
export function writesPage(script: { readonly code: string; readonly bare: string }): boolean {
  return writes({ whole: script.code, ...script });
}

const ADDRESS = /["'`]([^"'`\s<>]{1,300}\.m?js(?:\?[^"'`\s<>]{0,200})?)["'`]/g;

/** Whether an inline script loads unknown code. */
export function loadsUnknown(script: InlineScript): boolean {
  const { code, bare } = script;
  if (isKnownSnippet(code)) return false;
  if (/\bimport\b/.test(bare)) return true;
  if (!/\bcreateElement\s{0,9}\(\s{0,9}["'`]script/i.test(code)) return false;
  const addresses = addressesIn(code);
  return addresses.length === 0 || addresses.some((address) => !isHarmless(address));
}

/** Addresses of scripts in the strings of code. */
export function addressesIn(code: string): string[] {
  return [...code.matchAll(ADDRESS)].map((match) => match[1] ?? "");
}
