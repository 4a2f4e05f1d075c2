import { beforeDate } from "./dates.ts";

/** Maximum number of characters of a name, and of the text in which one is searched. A longer text is not a name. */
const MAX_NAME_LENGTH = 80;
const MAX_TEXT_LENGTH = 300;
/** Maximum number of words of a name, or of the names of several people. */
const MAX_WORDS_OF_A_NAME = 9;

/** Labels before a name: "By", "Written by" and the same in other languages. */
const LABEL = new RegExp(
  String.raw`^(?:(?:(?:story|text|words|article|post|review|photos|guide)\s+)?(?:(?:written|posted|published|created|` +
    String.raw`authored|contributed|reported|submitted|started|asked|edited)\s+)?by\b:?|authors?\s*:|(?:written|posted)\s*:|` +
    String.raw`(?:verfasst |geschrieben )?von\b|(?:écrit )?par\b|(?:escrito )?por\b|di\b|door\b|av\b|autora?\b:?|auteur\b:?|` +
    String.raw`автор(?!\p{L}):?|текст\s*:|作者\s*[:：]?|文\s*[/／:：]|著者\s*[:：]?|글\s*[:：]|بقلم\s*:?|लेखक\s*:?)\s*`,
  "iu",
);
/** The text after a name in a line begins with one of these: a separator, a label, a date. */
const END = /\s*(?:[|•·∙⋅‧—–»>/(]|\s-\s|\b(?:on|at|in|updated|published|posted|reviewed|last)\b|\d{1,2}[./:]|\d{4})/iu;

/** Texts of links and accounts that are not the name of an author. */
const NOBODY = new RegExp(
  String.raw`^(?:(?:sign|log|get|view|see|learn|subscri\w*|contact|about|join|start|free|read|share|follow|posted|published|` +
    String.raw`updated|last|click|all|latest|video|related)\b.*|articles? by.*|admin(?:istrator)?|webmaster|undefined|null|none|` +
    String.raw`n/a|unknown|authors?|users?|guests?|more|staff|editors?|experts?|contributors?|by|home|blog|news|comments?|` +
    String.raw`anonymous|default|root|super ?user|website|web ?team|login|register|heard|text/html.*)$`,
  "iu",
);
const MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)";
const NO_NAME = new RegExp(
  String.raw`\b${MONTH}[a-z]{0,6}\.?\s+\d{1,2}\b|\b\d{1,2}\s+${MONTH}|\b\d+\s*min|https?:|www\.|\{\{|[<>{}]|[!?]$`,
  "i",
);
/** The name of a template's variable, such as `page.author.name`. */
const VARIABLE = /^\w+(?:\.\w+){2,}$/;

/** The name in a short text, without the label before it and the date after it. Undefined if the text is not a name. */
export function nameOf(text: string): string | undefined {
  const line = text.slice(0, MAX_TEXT_LENGTH).replace(/\s+/g, " ").trim();
  const bare = beforeDate(line.replace(LABEL, ""));
  const name = bare.slice(0, END.exec(bare)?.index ?? bare.length).replace(/^[\s,;:.@~–—-]+|[\s,;:|~–—-]+$/gu, "");
  return isName(name) ? name : undefined;
}

/** Whether a text begins with a label such as "By". */
export function hasNameLabel(text: string): boolean {
  return LABEL.test(text.slice(0, MAX_NAME_LENGTH).trim());
}

/** A declared name or list of names, without the label before it. Undefined if it names no author. */
export function declaredName(text: string): string | undefined {
  const name = decoded(text)
    .replace(/\s+/g, " ")
    .replace(/^\s*by:?\s+/i, "")
    .replace(/^[\s,;]+|[\s,;]+$/g, "");
  const isNone = NOBODY.test(name) || VARIABLE.test(name) || !/\p{L}/u.test(name) || /\{\{|<\w/.test(name);
  return isNone ? undefined : name;
}

/** Some sites escape the names in their JSON-LD as for HTML. */
function decoded(text: string): string {
  return text
    .replace(/&(?:amp;)+/g, "&")
    .replace(/&(?:#0?39|rsquo|#8217|apos);/g, "’")
    .replaceAll("&quot;", '"');
}

function isName(name: string): boolean {
  if (name.length > MAX_NAME_LENGTH || NOBODY.test(name) || NO_NAME.test(name) || VARIABLE.test(name)) return false;
  if (!/\p{L}{2}|\p{Script=Han}/u.test(name) || (name.match(/\d+/g) ?? []).length > 2) return false;
  return name.split(" ").length <= MAX_WORDS_OF_A_NAME;
}
