/** Characters that Markdown may interpret in running text. */
const SPECIAL = /[\\`*_~[\]<&$!]|:\/\/|[wW]{3}\./;

/**
 * Parts of a text that need attention: addresses, which GitHub's Markdown makes links (GFM §6.9), and characters that
 * Markdown may interpret.
 */
const SPECIAL_OR_ADDRESS = /(?<![A-Za-z])(?:https?:\/\/|www\.)[^\s<>\p{Cc}]+|[\\`*_~[\]<&$!]/giu;

const WORD = /[\p{L}\p{N}]/u;
const ASCII_PUNCTUATION = /[!-/:-@[-`{-~]/;
const ENTITY = /^&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});/;

const MAIL = /^<[^\s<>@]+@/;

/** The surroundings of a text in its line. */
export interface TextContext {
  /** Only white space and containers' markers come before it in its line. */
  readonly startsLine: boolean;
  /** Whether it is inside a link's text, which brackets would end. */
  readonly inLink: boolean;
  /** Whether it has a mark. The mark's end would directly follow an address at the end of the text. */
  readonly isMarked: boolean;
  /** Whether it is struck out, which a stray tilde could end. */
  readonly inDel: boolean;
  /** The character that follows it directly, "[" for a link. Empty at the end of its line. */
  readonly next: string;
  /** Whether its block contains formulas. */
  readonly hasMath: boolean;
}

/** Escapes a text for Markdown. It is escaped only if Markdown would interpret it (CommonMark 0.31 §2.4). */
export function escapeText(text: string, context: TextContext): string {
  const escaped = SPECIAL.test(text)
    ? text.replace(SPECIAL_OR_ADDRESS, (found, at: number) =>
        found.length > 1 ? escapeBareAddress(found, { text, at, context }) : escapeChar(found, { text, at, context }),
      )
    : text;
  return context.startsLine ? escapeLineStart(escaped, context) : escaped;
}

interface CharContext {
  readonly text: string;
  readonly at: number;
  readonly context: TextContext;
}

function escapeChar(char: string, { text, at, context }: CharContext): string {
  const before = text[at - 1] ?? "";
  const after = text[at + 1] ?? context.next;
  return needsEscape(char, { before, after, text, at, context }) ? `\\${char}` : char;
}

/**
 * An address in running text. In a link, escapes would become part of the address; outside of a link they are needed.
 * An address with characters that Markdown may interpret is therefore written so that all parsers agree: as a link
 * everywhere, or as text everywhere.
 */
function escapeBareAddress(address: string, where: CharContext): string {
  const harmless = address.replace(/(?<=[A-Za-z0-9])_+(?=[A-Za-z0-9])/g, "");
  if (!/[\\`*_~[\]$!|]|&#?\w+;/.test(harmless) && !touches(address, where)) return address;
  if (!where.context.inLink && /^https?:\/\/[\w-]/i.test(address) && !address.includes("|")) return `<${address}>`;
  const [scheme = ""] = /^(?:https?|www)/i.exec(address) ?? [];
  const next = where.text[where.at + address.length] ?? where.context.next;
  const rest = address
    .slice(scheme.length)
    .split("")
    .map((char, index, chars) => {
      // Splits the beginning of an address, so that it is not read as one.
      if (index === 0 || (char === ":" && chars[index + 1] === "/") || (char === "." && chars[index - 1] === "w"))
        return `\\${char}`;
      const before = chars[index - 1] ?? "";
      const context = {
        before,
        after: chars[index + 1] ?? next,
        text: address,
        at: scheme.length + index,
        context: where.context,
      };
      return SPECIAL.test(char) && needsEscape(char, context) ? `\\${char}` : char;
    });
  return scheme + rest.join("");
}

/** Whether Markdown would add the following text to an address. */
function touches(address: string, { text, at, context }: CharContext): boolean {
  const after = text[at + address.length];
  return after === undefined ? context.isMarked || (context.next !== "" && context.next !== " ") : after !== " ";
}

function needsEscape(char: string, where: CharContext & { before: string; after: string }): boolean {
  const { before, after, text, at, context } = where;
  switch (char) {
    case "`":
      return true;
    case "\\":
      // A following address may begin with an angle bracket.
      return (
        at === text.length - 1 || ASCII_PUNCTUATION.test(after) || /^(?:h|www\.)/i.test(text.slice(at + 1, at + 5))
      );
    case "*":
      return !(before === " " && after === " ");
    case "_":
      return !(before === " " && after === " ") && !(isWord(before) && staysInWord(text, at));
    case "~":
      return (
        context.inDel ||
        after === "~" ||
        at === text.length - 1 ||
        !(before === " " || (at === 0 && context.startsLine))
      );
    case "[":
      return context.inLink || (context.startsLine && at === 0 && /^\[(?:[ xX]\]|\^?[^\]]*\]:)/.test(text));
    case "]":
      return context.inLink || after === "(" || after === ":";
    case "<":
      return at === text.length - 1 || /[A-Za-z/!?]/.test(after) || MAIL.test(text.slice(at, at + 80));
    case "&":
      return ENTITY.test(text.slice(at, at + 40));
    case "$":
      return context.hasMath || after === "$" || before === "$" || (before !== " " && before !== "" && !isWord(after));
    default:
      return char === "!" && after === "[" && at === text.length - 1;
  }
}

function isWord(char: string): boolean {
  return char !== "" && WORD.test(char);
}

/** Whether the underscores that begin at `at` are between letters. Markdown then ignores them. */
function staysInWord(text: string, at: number): boolean {
  const end = /^_{1,8}/.exec(text.slice(at, at + 8))?.[0].length ?? 0;
  return isWord(text[at + end] ?? "");
}

/** Escapes text that would begin a block at the start of a line (CommonMark 0.31 §4, §5). */
function escapeLineStart(text: string, context: TextContext): string {
  const number = /^(\d{1,9})([.)])(?= |$)/.exec(text);
  if (number !== null) return `${number[1]}\\${text.slice(number[1]?.length)}`;
  return BLOCK_START.test(text) || (context.next === "" && RULE.test(text)) ? `\\${text}` : text;
}

const BLOCK_START = /^(?:[-+*](?: |$)|#{1,6}(?: |$)|>|[-:|]{2}[-:| ]*$|[-:|] ?[-:|][-:| ]*$)/;
/** A line that Markdown reads as a rule, or as the underline of a heading. */
const RULE = /^(?:=+|-+|(?:_ *){3,}|(?:\* *){3,}|(?:- *){3,})$/;

/** An address for the parentheses of a link, percent-encoded as in HTML. */
export function escapeAddress(address: string): string {
  if (!/[()<>\\\s`|]|&#?\w+;/.test(address)) return address;
  return address
    .replace(/[()<>\\\s`|]/g, (char) => PERCENT.get(char) ?? encodeURIComponent(char))
    .replace(/&(?=#?\w+;)/g, "&amp;");
}

const PERCENT = new Map([
  ["(", "%28"],
  [")", "%29"],
]);

/** Escapes a title between double quotes. */
export function escapeTitle(title: string): string {
  return title.replace(/[\\"`<]/g, "\\$&").replace(/&(?=#?\w+;)/g, "\\&");
}

/** Escapes the text of a picture between brackets. */
export function escapeLabel(text: string): string {
  return text.replace(/[\\`*_[\]<~$]/g, "\\$&").replace(/&(?=#?\w+;)/g, "\\&");
}
