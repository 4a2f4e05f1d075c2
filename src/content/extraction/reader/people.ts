import { beforeDate } from "./dates.ts";

/** Maximum number of characters of a name, and of the text in which one is searched. A longer text is not a name. */
const MAX_NAME_LENGTH = 80;
const MAX_TEXT_LENGTH = 300;
/** Maximum number of words of a name, or of the names of several people. */
const MAX_WORDS_OF_A_NAME = 9;

/** Labels that only name an author, in a line of any place. Each is followed by a colon or a similar mark. */
const AUTHOR_WORDS =
  "authors?|autor(?:a|es|in|zy|ka)?|auteure?s?|autore|autrice|verfasser|redacteur|författare|kirjoittaja|szerző|penulis|oleh|" +
  "reporter|tác giả|yazar|yazan|haber|автор|авторы|текст|συντάκτης|συντάκτρια|κείμενο|γράφει|מאת|כותבת?|" +
  "بقلم|كتب|كتبت|كتبه|إعداد|الكاتب|الكاتبة|تأليف|نویسنده|خبرنگار|تحریر|लेखक|लेखिका|द्वारा|रिपोर्ट|โดย|ผู้เขียน|เขียนโดย|เรื่อง|ผู้สื่อข่าว|" +
  "글쓴이|작성자|필자|글|作者|撰文|撰稿|采写|採訪|記者|记者|本报记者|本報記者|文|著者|筆者|執筆|投稿者|ライター|取材・文|文・写真|文と写真";
const MARK = "\\s*[:：=＝/／|｜]";

/** Labels before a name: "By", "Written by" and the same in other languages. */
const LABEL = new RegExp(
  String.raw`^[\s\[(（【〔［■●]*(?:(?:(?:story|text|words|article|post|review|photos|guide)\s+(?:(?:and|&)\s+photos\s+)?)?(?:(?:written|posted|published|created|` +
    String.raw`authored|contributed|reported|submitted|started|asked|edited)\s+)?by\b:?|(?:written|posted|words|text|story)\s*:|` +
    String.raw`(?:verfasst |geschrieben )?von\b|(?:écrit )?par\b|(?:escrito )?por\b|di\b|door\b|av\b|autora?\b:?|auteur\b:?|` +
    String.raw`автор(?!\p{L}):?|作者|著者|بقلم(?!\p{L})|लेखक(?!\p{L})|γράφει (?:ο|η)(?!\p{L})|מאת(?!\p{L})|(?:${AUTHOR_WORDS})${MARK})\s*`,
  "iu",
);
/** A text that is only a label, so that the name is in the next text. */
const WHOLE_LABEL = new RegExp(
  String.raw`^(?:(?:(?:written|posted|words|story) )?by\s*:?|author\s*:?|von|por|par|(?:${AUTHOR_WORDS})${MARK})$`,
  "iu",
);
/** A label inside a line, after a space or a separator, and the name after it. */
const LABEL_WITHIN = new RegExp(String.raw`[\s|｜•·,،)）](?:${AUTHOR_WORDS})\s*[:：]\s*(\p{L}.{1,80})`, "iu");
/** "Reporter" before a Chinese name without a colon, and after a Korean name. */
const REPORTER =
  /(?:^|[\s〔【（(［[■])(?:本报|本報)?(?:记者|記者)\s*(\p{Script=Han}{2,4})(?=$|[\s/／|｜、，)）〕】\]])|(?:^|[\s|=[(])(\p{Script=Hangul}{2,4})\s+(?:\p{Script=Hangul}{2}\s?)?(?:기자|특파원|논설위원)(?=$|[\s|,\])=])/u;
/** "Of" before a name in the genitive, which is a byline in Greek. */
const GREEK_BYLINE = /^(?:[Ττ]ου|[Ττ]ης|ΤΟΥ|ΤΗΣ)\s+(\p{Lu}[\p{L}.]+(?:\s+\p{Lu}[\p{L}.]+){1,2})$/u;
/** The text after a name in a line begins with one of these: a separator, a label, a date. */
const END =
  /\s*(?:[|｜•·∙⋅‧—–»>/(／（【［〔）】］〕]|\s-\s|\s[\p{L}\p{M}]{2,15}\s?[:：]|\b(?:on|at|in|updated|published|posted|reviewed|last)\b|\d{1,2}[./:]|\d{4})/iu;

/** Texts of links and accounts that are not the name of an author. */
const NOBODY = new RegExp(
  String.raw`^(?:(?:sign|log|get|view|create|register|try|see|learn|subscri\w*|contact|about|join|start|free|read|share|follow|posted|published|` +
    String.raw`updated|last|click|all|latest|video|related)\b.*|articles? by.*|admin(?:istrator)?|webmaster|undefined|null|none|` +
    String.raw`n/a|unknown|authors?|users?|guests?|more|staff|editors?|experts?|contributors?|by|home|blog|news|posts?|comments?|` +
    String.raw`anonymous|default|root|super ?user|website|web ?team|category|login|register|heard|text/html.*|редакция|администратор|админ|` +
    String.raw`redaktion|redacción|redação|rédaction|redazione|redactie|redaksi|redakcja|yönetici|editör|سردبیر|مدير|إدارة|التحرير|` +
    String.raw`관리자|운영자|편집부|管理员|管理員|編集部|管理人|小编|编辑|編輯|佚名|未知|本站|本报讯|本網)$`,
  "iu",
);
const MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)";
const NO_NAME = new RegExp(
  String.raw`\b${MONTH}[a-z]{0,6}\.?\s+\d{1,2}\b|\b\d{1,2}\s+${MONTH}|\b\d+\s*min|https?:|www\.|\{\{|[<>{}]|[!?]$`,
  "i",
);
/** The title of a position without a name, such as "Marketing and Event Coordinator". */
const POSITION =
  /^(?:(?:and|of|the|&|senior|junior|chief|lead|assistant|associate|deputy|general|executive|managing|regional|marketing|events?|media|social|public|relations|affairs|communications?|content|digital|web|sales|product|project|program|community|news|editorial|operations|technical) ){1,6}(?:coordinator|manager|director|officer|specialist|assistant|associate|representative|writer|reporter|correspondent|administrator|intern)$/i;
/** The name of a template's variable, such as `page.author.name`. */
const VARIABLE = /^\w+(?:\.\w+){2,}$/;

/** The name in a short text, without the label before it and the date after it. Undefined if the text is not a name. */
export function personNameOf(text: string): string | undefined {
  const line = text.slice(0, MAX_TEXT_LENGTH).replace(/\s+/g, " ").trim();
  // A dash before the name does not end it.
  const bare = beforeDate(line.replace(LABEL, "")).replace(/^[\s,;:.@~–—-]+/u, "");
  const name = bare.slice(0, END.exec(bare)?.index ?? bare.length).replace(/[\s,;:|~–—-]+$/u, "");
  return isName(name) ? name : undefined;
}

/** Whether a text begins with a label such as "By". */
export function hasNameLabel(text: string): boolean {
  return LABEL.test(text.slice(0, MAX_TEXT_LENGTH).trim());
}

/** Whether a whole text is a label such as "By", so that a name can follow. */
export function isNameLabel(text: string): boolean {
  return text !== "" && WHOLE_LABEL.test(text);
}

/** The name after a label inside of a line, as in "Today 10:00 Author: Ann Lee", or in another usual form of bylines. */
export function nameWithin(text: string): string | undefined {
  const line = text.slice(0, MAX_TEXT_LENGTH).replace(/\s+/g, " ").trim();
  const reporter = REPORTER.exec(line);
  const found = reporter?.[1] ?? reporter?.[2] ?? LABEL_WITHIN.exec(line)?.[1] ?? GREEK_BYLINE.exec(line)?.[1];
  return found === undefined ? undefined : personNameOf(found);
}

/** A declared name or list of names, without the label before it. Undefined if it names no author. */
export function declaredName(text: string): string | undefined {
  const name = text
    .replace(/\s+/g, " ")
    .replace(/^\s*by:?\s+/i, "")
    .replace(/^[\s,;]+|[\s,;]+$/g, "");
  const isNone =
    NOBODY.test(name) || POSITION.test(name) || VARIABLE.test(name) || !/\p{L}/u.test(name) || /\{\{|<\w/.test(name);
  return isNone ? undefined : name;
}

/** A name in small letters is one of an account. "By continuing, you agree" is not a name. */
const MAX_SMALL_WORDS = 2;
const PARTICLE = /^(?:al|el|bin|ibn|da|de|del|della|den|der|des|di|do|dos|du|la|le|ten|ter|van|von|zu)\b|^d['’]/iu;
/** Running text in scripts without spaces. */
const SENTENCE = /[。，！？]|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]{13}|[\p{Script=Thai}\p{M}]{30}/u;

function isName(name: string): boolean {
  if (
    name.length > MAX_NAME_LENGTH ||
    NOBODY.test(name) ||
    POSITION.test(name) ||
    NO_NAME.test(name) ||
    VARIABLE.test(name)
  )
    return false;
  if (
    SENTENCE.test(name) ||
    (/^\p{Ll}/u.test(name) && !PARTICLE.test(name) && name.split(" ").length > MAX_SMALL_WORDS)
  )
    return false;
  if (!/\p{L}{2}|\p{Script=Han}/u.test(name) || (name.match(/\d+/g) ?? []).length > 2) return false;
  return name.split(" ").length <= MAX_WORDS_OF_A_NAME;
}
