import { type SearchedNames } from "../tree/extraction.ts";

/**
 * Maximum number of selections that are examined in one script, and of characters after a selection that may write to
 * its element.
 */
const MAX_SELECTIONS = 200;
const NEAR = 1_500;

/** A call with a selector, an identifier or a class as its only argument: `querySelector("#a")`, `$(".b")`, `byId("c")`. */
const SELECTION =
  /(?:\.(querySelector(?:All)?|getElementById|getElementsByClassName|getElementsByTagName|find)|(?<![\w$.])([\w$]{1,12}))\s{0,3}\(\s{0,3}(?:"([^"\n]{1,120})"|'([^'\n]{1,120})'|`([^`\n]{1,120})`)\s{0,3}\)/g;

/** Code directly after an element, or a list of elements, that writes text into it. */
const WRITE = String.raw`(?:\[[\w$]{1,20}\])?[?!]?\.(?:(?:textContent|innerText|innerHTML|outerHTML)\s{0,3}\+?=(?!=)|(?:replaceWith|replaceChildren)\s{0,3}\(|(?:text|html)\s{0,3}\(\s{0,3}[^\s)])`;
const WRITES_AT_ONCE = new RegExp(`^${WRITE}`);
/** The same, for an input element that displays its value. */
const SETS_VALUE = /^[?!]?\.value\s{0,3}=(?!=)/;

/** The variable to which a selection is assigned. It is the last code before the selection. */
const KEPT = /(?:^|[\s,;({])([\w$]{1,40})\s{0,3}=\s{0,3}(?:\[\.\.\.)?[\w$.]{0,40}$/;
const LOOP = /\bfor\s{0,3}\(\s{0,3}(?:const|let|var)\s{1,3}([\w$]{1,40})\s{1,3}of\s{1,3}(?:\[\.\.\.)?[\w$.]{0,40}$/;
const EACH =
  /^\s{0,9}\]?\s{0,3}\.(?:forEach|map|each)\s{0,3}\(\s{0,3}(?:async\s{0,3})?(?:function\s{0,3}[\w$]{0,20}\s{0,3})?\(?\s{0,3}([\w$]{0,40})/;

/** The names of the page's content that a script selects, and whose text it writes. Undefined if it writes no text. */
export function writtenTexts(code: string, { texts, tags }: SearchedNames): readonly string[] | undefined {
  if (texts.length === 0 && tags.length === 0) return undefined;
  const [names, elements] = [new Set(texts), new Set(tags)];
  for (const { subject, before, after } of selections(code)) {
    const isOpen = elements.has(subject.tag);
    const selected = subject.names.filter((name) => names.has(name));
    if (!isOpen && selected.length === 0) continue;
    if (writesTo(before, after, isOpen)) return selected;
  }
  return undefined;
}

/** Whether the code after a selection writes text into the element. */
function writesTo(before: string, after: string, isOpen: boolean): boolean {
  if (WRITES_AT_ONCE.test(after) || (isOpen && SETS_VALUE.test(after))) return true;
  const each = EACH.exec(after);
  if (each?.[1] === "" && /\$\(\s{0,3}this\s{0,3}\)\.(?:text|html)\(\s{0,3}[^\s)]/.test(after)) return true;
  const variable = each?.[1] ?? (LOOP.exec(before) ?? KEPT.exec(before))?.[1];
  if (variable === undefined || variable === "") return false;
  return follows(after, variable, WRITE);
}

/** Code directly after an element that uncovers it. Calls of jQuery may come before it. */
const UNCOVER = String.raw`[?!]?(?:\.[\w]{1,20}\([^()]{0,60}\)){0,3}\.(?:style\.(?:removeProperty\s{0,3}\(\s{0,3}["'\`](?:display|visibility)|setProperty\s{0,3}\(\s{0,3}["'\`](?:display|visibility)["'\`]\s{0,3},\s{0,3}["'\`](?!none|hidden|collapse)|(?:display|visibility|cssText)\s{0,3}=(?!=)(?!\s{0,3}["'\`](?:none|hidden|collapse)))|hidden\s{0,3}=(?!=|\s{0,3}(?:!0|true)\b)|(?:removeAttribute|removeAttr)\s{0,3}\(\s{0,3}["'\`](?:hidden|style)["'\`]|toggleAttribute\s{0,3}\(\s{0,3}["'\`]hidden["'\`]\s{0,3}(?!,\s{0,3}(?:!0|true))|(?:show|fadeIn|slideDown|fadeTo)\s{0,3}\(|css\s{0,3}\(\s{0,3}["'\`{]\s{0,3}display["'\`]?\s{0,3}[,:]\s{0,3}["'\`](?!none)|prop\s{0,3}\(\s{0,3}["'\`]hidden["'\`]\s{0,3},\s{0,3}(?:!1|false))`;
const UNCOVERS_AT_ONCE = new RegExp(`^(?:\\[[\\w$]{1,20}\\])?${UNCOVER}`);

/** Whether a script selects a hidden element of the page by one of these names and uncovers it. */
export function uncovers(code: string, hidden: readonly string[]): boolean {
  if (hidden.length === 0) return false;
  const names = new Set(hidden);
  return selections(code).some(({ subject, before, after }) => {
    if (!subject.names.some((name) => names.has(name))) return false;
    if (UNCOVERS_AT_ONCE.test(after)) return true;
    const variable = EACH.exec(after)?.[1] ?? (LOOP.exec(before) ?? KEPT.exec(before))?.[1];
    return variable !== undefined && variable !== "" && follows(after, variable, UNCOVER);
  });
}

interface Selection {
  readonly subject: Subject;
  /** The code before and after the selection. */
  readonly before: string;
  readonly after: string;
}

/** The first selections of a script. */
function selections(code: string): Selection[] {
  return Array.from(code.matchAll(SELECTION).take(MAX_SELECTIONS), (match) => {
    const [whole, method, helper, double, single, back] = match;
    const end = match.index + whole.length;
    return {
      subject: subjectOf(method ?? helper ?? "", double ?? single ?? back ?? ""),
      before: code.slice(Math.max(0, match.index - 80), match.index),
      after: code.slice(end, end + NEAR),
    };
  });
}

function follows(code: string, variable: string, pattern: string): boolean {
  return new RegExp(`(?<![\\w$.])${variable.replaceAll("$", "\\$")}${pattern}`).test(code);
}

interface Subject {
  /** Identifiers, classes and attributes. */
  readonly names: readonly string[];
  /** The element's tag name, if the selector consists of it alone. */
  readonly tag: string;
}

/** Functions that take a selector. */
const SELECTORS = new Set(["querySelector", "querySelectorAll", "getElementsByTagName", "find", "$", "$$", "jQuery"]);

/** The names in the last part of a selector, which describes the element itself. */
function subjectOf(method: string, text: string): Subject {
  if (method === "getElementById" || method === "getElementsByClassName") return { names: text.split(" "), tag: "" };
  const last = /[^\s>+~]*$/.exec(text.trim())?.[0] ?? "";
  // For other functions, the argument may be the name of an element to create.
  const tag = SELECTORS.has(method) ? (/^[a-z][a-z\d]{0,11}(?=$|:)/.exec(last)?.[0] ?? "") : "";
  if (method === "getElementsByTagName") return { names: [], tag };
  return { names: [...last.matchAll(/[#.[]([\w-]{1,60})/g)].map((match) => match[1] ?? ""), tag };
}
