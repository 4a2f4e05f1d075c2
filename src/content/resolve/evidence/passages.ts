import { aliasesIn } from "../reading/aliases.ts";
import { type Plan, type Source } from "../reading/analysis.ts";
import { Frames, isEntry } from "../reading/frames.ts";
import { hostOf, isOf } from "../reading/resolution-source.ts";
import { WORDS } from "../reading/vocabulary.ts";
import { type Language, languageOf, STOP_WORDS, stemOf, type Word, wordsOf } from "../reading/words.ts";

/** Maximum number of characters of a source that are read. The rest is ignored. */
const MAX_TEXT = 300_000;
/** Maximum number of characters of a sentence. A longer one is cut. */
const MAX_SENTENCE = 700;
/** Sentences of a source that are kept for a closer look. */
const MAX_PASSAGES = 60;
/**
 * Sentences at the beginning of a page that are kept without a shared word, since they may answer the question in its
 * title.
 */
const OPENING = 3;

/** Characters of other text from which a page must come back to its subject. */
const ASIDE = 150;
/** The content words of a sentence that the title or another sentence must have too, or the share of its names. */
const TOPIC = 2;
const TOPIC_SHARE = 0.4;
/** Words with the same beginning of this length are of one family: "fishery" and "fishermen". */
const FAMILY = 5;

/** Characters of the shortest name that is found inside a host. */
const HOST_PART = 4;

export interface Sentence {
  /** Verbatim. */
  readonly text: string;
  readonly start: number;
  /** Number of sentences before it in the text. */
  readonly index: number;
}

/** Maximum number of rows of a table that are compared with each other. */
export const MAX_ROWS = 200;

/** A table of a page. Tabs part the cells of a row. */
export interface SourceTable {
  /** The first row. */
  readonly header: string;
  /** Up to MAX_ROWS, and one more if the table has more. */
  readonly rows: string[];
  /** The title of the page, and the sentence before the table. */
  readonly caption: string;
}

/** A sentence that shares words with the question. */
export interface Passage extends Sentence {
  /** Share of the question's terms in it, 0 to 1. Names count twice. */
  readonly coverage: number;
  /** The same, with the title, the first sentence of the page, and the two sentences before it. */
  readonly context: number;
  readonly words: readonly Word[];
  /** The terms of the question in the sentence. */
  readonly shared: ReadonlySet<string>;
  /** The terms in the sentence, the title, the first sentence of the page, or the two sentences before it. */
  readonly near: ReadonlySet<string>;
  /** The sentence before it. Before the first sentence, the title. */
  readonly before: string;
  /** The two sentences behind it. */
  readonly after: string;
  /** Whether the sentence before it has terms of the question. */
  readonly isContinued: boolean;
  /** Whether its context is unreal, such as a novel or a game, so that it states nothing. */
  readonly isUnreal: boolean;
  /** The table of which the passage is a row behind the first one. */
  readonly table: SourceTable | undefined;
  /** Whether the page does not come back to its subject. */
  readonly isAside: boolean;
}

const END = /[.!?。！？]/u;
const SENTENCE = /[.!?:;。！？]["”’»“«)]?$/u;
const ABBREVIATION =
  /(?:^|[\s(])(?:\p{Lu}|Mr|Mrs|Ms|Dr|Prof|St|Sen|Rep|Gov|Gen|Jr|Sr|No|vs?|Mt|etc|Inc|Ltd|Co|Corp|approx|Mio|Mrd|bzw|z\.B|ca|[\p{Lu}]\.[\p{Lu}]|U\.S|e\.g|i\.e|a\.m|p\.m|Jan|Feb|Mar|Apr|Aug|Sept?|Oct|Nov|Dec)$/u;

/** "Der 21. Landtag", "No. 5": a number that counts. */
const ORDINAL = /(?:^|[\s(])(?:de[rmns]|die|das|eine?[nrms]?|am|vom|zum|zur|im|bis|und|N[or]|Art)\.?\s\d{1,2}$/iu;

const MONTH =
  /^\s+(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)(?![\p{L}])/u;

/** The sentences of a text, in order; linear in its length. */
function* sentencesOf(text: string): Generator<Sentence> {
  const limit = Math.min(text.length, MAX_TEXT);
  let start = 0;
  let index = 0;
  for (let at = 0; at <= limit; at += 1) {
    const length = at - start;
    const cut = at === limit || length >= MAX_SENTENCE || endsAt(text, start, at);
    if (!cut) continue;
    const raw = text.slice(start, at);
    const lead = /^[\s#>*|-]*/u.exec(raw)?.[0].length ?? 0;
    const sentence = raw.slice(lead).trimEnd();
    if (sentence !== "") {
      yield { text: sentence, start: start + lead, index };
      index += 1;
    }
    start = at;
  }
}

/** Whether a sentence that begins at `start` ends before `at`. */
function endsAt(text: string, start: number, at: number): boolean {
  if (at <= start) return false;
  const last = text[at - 1] ?? "";
  const next = text[at] ?? "";
  if (last === "\n") {
    // A single line break inside running text does not end a sentence: PDF text and mail are wrapped.
    const line = text.slice(Math.max(start, at - 90), at - 1);
    return (
      next === "\n" ||
      // A row of a table
      text.slice(start, at).includes("\t") ||
      line.trim() === "" ||
      line.length < 60 ||
      /[.!?:;。]["”’)]?\s*$/u.test(line) ||
      /[#>*|\d-]/.test(next)
    );
  }
  if (/[。！？]/u.test(last)) return true;
  if (/["”’»“«)]/u.test(last) && END.test(text[at - 2] ?? "")) return /\s/.test(next) && next !== "\t";
  if (!END.test(last) || !/\s/.test(next)) return false;
  // A row of a table ends with its line.
  if (next === "\t" || text.slice(start, at).includes("\t")) return false;
  if (last !== ".") return true;
  const before = text.slice(Math.max(start, at - 12), at - 1);
  const after = text.slice(at, at + 12);
  const isNumbered =
    /\d{1,2}$/u.test(before) &&
    (/^\W*\d{1,2}$/u.test(text.slice(start, at - 1)) || ORDINAL.test(before) || MONTH.test(after));
  return !isNumbered && !ABBREVIATION.test(before) && !/^\s+\p{Ll}/u.test(after);
}

/**
 * The sentences of a source that bear most on the question, in the order of the text, at most 120. Sentences that
 * `isLeftOut` selects are removed, also from the context of their neighbours.
 */
export function passagesOf(
  plan: Plan,
  source: Source,
  isLeftOut: (sentence: string) => boolean = () => false,
): Passage[] {
  const terms = new Set(plan.terms);
  const names = new Set(plan.names);
  const weigh = (found: ReadonlySet<string>): number => coverageOf(found, { terms, names });
  // The page of a firm need not repeat the firm's name.
  const host = hostOf(source.url) ?? "";
  const inPlanNames = aliasesIn(plan.statement, plan.question);
  const titleTerms = sharedTerms(
    inPlanNames(`${source.title} ${source.site ?? ""} ${host.replace(/[.-]/gu, " ")} ${stateOf(host, source.title)}`),
    terms,
  );
  // "silvermask.example" is the site of the Silver Mask.
  for (const term of names) if (term.length >= HOST_PART && host.includes(term)) titleTerms.add(term);
  const titleWords = familiesIn(wordsOf(source.title));
  const ownTerms = sharedTerms(inPlanNames(source.title), terms);
  // "Cup final: Alder Town 2 Fennick Rovers 1": a short word counts beside another one.
  if (ownTerms.size > 1) for (const term of ownTerms) titleWords.add(familyOf(term));
  let openingTerms: ReadonlySet<string> = new Set();
  const ending = ADJECTIVE_ENDINGS[languageOf(plan.question) ?? "en"];
  const frames = new Frames(source.url, source.title, source.text);
  const isTopic = (text: string): boolean => sharedTerms(text, terms).size > 0;
  const kept: Passage[] = [];
  let table: SourceTable | undefined;
  let last: { readonly text: string; readonly shared: ReadonlySet<string> }[] = [];
  const mentions = new Map<string, number>();
  let lead: number | undefined;
  const texts: string[] = [];
  for (const sentence of sentencesOf(source.text)) {
    texts.push(sentence.text);
    const words = wordsOf(sentence.text).map((word) => ofPlace(word, names, ending));
    const named = inPlanNames(sentence.text);
    const shared = new Set(words.flatMap(({ stem }) => (terms.has(stem) ? [stem] : [])));
    if (named !== sentence.text) for (const term of sharedTerms(named, terms)) shared.add(term);
    // The line with the name of the site or the author is about neither.
    if (SENTENCE.test(sentence.text)) {
      lead ??= sentence.index;
      for (const family of familiesIn(words, SHORT_NAME)) mentions.set(family, (mentions.get(family) ?? 0) + 1);
    }
    const near = new Set([...shared, ...titleTerms, ...openingTerms, ...last.flatMap((one) => [...one.shared])]);
    const worth = near.size > 0 || sentence.index < OPENING;
    const isIntroduction = frames.introduces(sentence.text);
    if ((worth || isIntroduction) && isLeftOut(sentence.text)) {
      frames.passOver(sentence.text);
      continue;
    }
    if (sentence.index === 0) openingTerms = shared;
    const isRow = sentence.text.includes("\t");
    if (!isRow) table = undefined;
    else if (table !== undefined && table.rows.length <= MAX_ROWS) table.rows.push(sentence.text);
    const isUnreal = frames.isUnreal(sentence.text, isIntroduction, isTopic);
    if (worth) {
      const before = last.at(-1)?.text ?? source.title;
      const isContinued = SENTENCE.test(before) && (last.at(-1)?.shared.size ?? 0) > 0;
      const place = { ...sentence, before, isContinued, isUnreal, isAside: false, table, after: "" };
      keep(kept, { ...place, words, shared, near, coverage: weigh(shared), context: weigh(near) });
    }
    const caption = `${source.title}. ${last.at(-1)?.text ?? ""}`;
    if (isRow) table ??= { header: sentence.text, rows: [], caption };
    last = [...last.slice(-1), { text: sentence.text, shared }];
  }
  const isTopicOf = (family: string, { text }: Passage): boolean =>
    titleWords.has(family) || (mentions.get(family) ?? 0) > (SENTENCE.test(text) ? 1 : 0);
  // A report comes back to its names: the loser of a final, who said so.
  const isBack = ({ words }: Passage): boolean =>
    words.some(
      ({ text, capital, stem, start }) =>
        capital && (start > 0 || names.has(stem)) && !WORDS.time.has(text) && (mentions.get(familyOf(stem)) ?? 0) > 1,
    );
  return kept
    .toSorted((a, b) => a.start - b.start)
    .slice(0, MAX_PASSAGES * 2)
    .map((passage) => ({
      ...passage,
      after: texts.slice(passage.index + 1, passage.index + 3).join(" "),
      isAside:
        !(plan.resolutionSource !== undefined && isOf(plan.resolutionSource, source.url)) &&
        !(passage.index === lead && isOnTitle(passage, titleWords)) &&
        !isBack(passage) &&
        isAside(passage, source, names, isTopicOf),
    }));
}

/** The state of an office whose pages do not name it: bls.gov need not say that its figures are of the US, unless the title names a part. */
function stateOf(host: string, title: string): string {
  if (REGION.test(title)) return "";
  return FEDERAL.test(host) ? "US" : host === "ons.gov.uk" ? "UK" : "";
}

const FEDERAL = /^(?:bls|bea|census|federalreserve|fda|sec|nasa|treasury|whitehouse|supremecourt)\.gov$/u;
const REGION =
  /\b(?:regions?|regional|states?|metropolitan|city|county|area|west|east|north|south|midwest)\b|\p{Lu}\p{Ll}+-\p{Lu}\p{Ll}/iu;

/** The endings of adjectives that name a place. */
export const ADJECTIVE_ENDINGS: Readonly<Partial<Record<Language, RegExp>> & Record<"en" | "de", RegExp>> = {
  de: /er$/u,
  en: /(?:i?an|n|ese|ic)$/u,
};

/** "der Lindauer Stadtrat" for "der Stadtrat von Lindau", "the Marvian court": the place as an adjective has the stem of its name. */
function ofPlace(word: Word, names: ReadonlySet<string>, ending: RegExp | undefined): Word {
  if (ending === undefined || !word.capital || names.has(word.stem)) return word;
  const stem = stemOf(word.text.replace(ending, ""));
  if (stem !== word.stem && names.has(stem)) return { ...word, stem };
  // "Marvia" for "the Marvian court"
  const own = word.stem.length < 4 ? undefined : [...names].find((name) => name.startsWith(word.stem));
  return own !== undefined && /^(?:i?an|n)$/u.test(own.slice(word.stem.length)) ? { ...word, stem: own } : word;
}

/** Whether a sentence has a word of the question that the title has, as the first sentence of a report has. */
function isOnTitle({ shared }: Passage, titleWords: ReadonlySet<string>): boolean {
  return [...shared].some((term) => titleWords.has(familyOf(term)));
}

/**
 * Whether a sentence that has names or other words of the question is the only one of its page on its subject. A
 * report comes back to it; a puzzle, a song or a letter that contains the sentence does not.
 */
function isAside(
  passage: Passage,
  source: Source,
  names: ReadonlySet<string>,
  isTopicOf: (family: string, passage: Passage) => boolean,
): boolean {
  const { text, words, shared, isContinued, table } = passage;
  const isTopic = (family: string): boolean => isTopicOf(family, passage);
  const own = [...shared].filter((term) => names.has(term) && !/^\d/u.test(term));
  if (source.text.length - text.length < ASIDE || table !== undefined || isEntry(text)) return false;
  const topics = [...familiesIn(words)].filter(isTopic).length;
  const isTerm = [...shared].some((term) => isTopic(familyOf(term)));
  if (own.length === 0) return shared.size > 0 && !isContinued && !isTerm && topics < TOPIC;
  if (own.filter((name) => isTopic(familyOf(name))).length >= own.length * TOPIC_SHARE) return false;
  return !isTerm || topics < TOPIC;
}

/** Removes the least passages when the list has twice its bound, so that the time is linear in total. */
function keep(kept: Passage[], passage: Passage): void {
  kept.push(passage);
  if (kept.length < MAX_PASSAGES * 2) return;
  kept.sort((a, b) => rank(b) - rank(a) || a.start - b.start);
  kept.length = MAX_PASSAGES;
}

function rank(passage: Passage): number {
  return passage.coverage + passage.context * 0.3 + (passage.index < OPENING ? 0.2 : 0);
}

function familyOf(stem: string): string {
  return stem.slice(0, FAMILY);
}

const SHORT_NAME = 3;

function familiesIn(words: readonly Word[], name = 4): Set<string> {
  return new Set(
    words.flatMap(({ text, stem, capital }) =>
      text.length < (capital ? name : 4) || STOP_WORDS.has(text) || /^\d/u.test(text) ? [] : [familyOf(stem)],
    ),
  );
}

function sharedTerms(text: string, terms: ReadonlySet<string>): Set<string> {
  const shared = new Set<string>();
  for (const { stem } of wordsOf(text)) if (terms.has(stem)) shared.add(stem);
  return shared;
}

/** The share of the question's terms among those found. Names count twice. */
export function coverageOf(
  found: ReadonlySet<string>,
  { terms, names }: { readonly terms: ReadonlySet<string>; readonly names: ReadonlySet<string> },
): number {
  return weightOf(found, names) / Math.max(1, weightOf(terms, names));
}

function weightOf(terms: ReadonlySet<string>, names: ReadonlySet<string>): number {
  let sum = 0;
  for (const term of terms) sum += names.has(term) ? 2 : 1;
  return sum;
}
