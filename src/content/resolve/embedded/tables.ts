import { conceptsIn } from "../reading/concepts.ts";
import { type NamedDate } from "../reading/dates.ts";
import { GRAMMARS, isFunctionWord } from "../reading/grammar.ts";
import { meets, quantitiesOf } from "../reading/quantities.ts";
import { isForm, type Language, wordsOf } from "../reading/words.ts";
import { type Passage } from "../evidence/passages.ts";
import { type Asked } from "./question.ts";

/** The outcome by a row of a table, and the place of its cell. */
export interface Row {
  /** 0 if the cell is empty, or names what is to come. */
  readonly sign: -1 | 0 | 1;
  readonly part: { readonly start: number; readonly end: number };
}

interface Cell {
  /** Without what stands in parentheses. */
  readonly text: string;
  readonly note: string;
  readonly stems: ReadonlySet<string>;
  readonly start: number;
  readonly end: number;
}

const RANK = /^(?:rank|place|pos|position|#|no|rang|platz|place|puesto|posición|lugar|posto|posizione|posição)\.?$/iu;
const PLANNED = /planned|expected|due|geplant|prévu|previst|previs/iu;
const EMPTY = /^[–—-]?$/u;

/** Reads a row whose table has a header. Undefined if it is about something else. */
export function rowOf(
  asked: Asked,
  passage: Passage,
  language: Language,
  dates: readonly NamedDate[],
): Row | undefined {
  const head = cellsOf(passage.header ?? "");
  const row = cellsOf(passage.text);
  if (head.length !== row.length) return undefined;
  const table = { asked, passage, language, dates, head, row };
  const months = monthsOf(asked, passage, language);
  const subject = row.findIndex((cell) => isSubject(cell, table) || months.includes(cell.text.toLowerCase()));
  const key = subject < 0 && isOfWinner(table) ? head.findIndex(({ text }) => RANK.test(text)) : subject;
  const named = key < 0 ? undefined : (thresholdIn(table, key) ?? rankIn(table) ?? eventIn(table, key));
  return named ?? milestoneIn(table) ?? holderIn(table);
}

interface Table {
  readonly asked: Asked;
  readonly passage: Passage;
  readonly language: Language;
  readonly dates: readonly NamedDate[];
  readonly head: readonly Cell[];
  readonly row: readonly Cell[];
}

function cellsOf(text: string): Cell[] {
  let start = 0;
  return text.split("\t").map((raw) => {
    const cell = { start, end: start + raw.length };
    start += raw.length + 1;
    const note = /\(([^)]*)\)/u.exec(raw)?.[1] ?? "";
    const plain = raw.replace(/\([^)]*\)/gu, "").trim();
    return { ...cell, text: plain, note, stems: new Set(wordsOf(plain).map(({ stem }) => stem)) };
  });
}

/** Whether the question is about the winner, and the row has the first place: "Did the winner finish in under two hours?" */
function isOfWinner({ asked, passage, head, row }: Table): boolean {
  const rank = head.findIndex(({ text }) => RANK.test(text));
  const isAsked = conceptsIn(wordsOf([...(asked.agent?.heads ?? [])].join(" "))).has("win");
  return isAsked && row[rank]?.text === "1" && [...asked.names].every((name) => passage.near.has(name));
}

/** Whether a cell names the subject and nothing else: "Penalva do Mar" is not Penalva. The page names the other names. */
function isSubject({ text, stems }: Cell, { asked, passage: { near }, language }: Table): boolean {
  const own = [...asked.names].filter((name) => stems.has(name));
  const isOther = wordsOf(text).some(
    (word) => !asked.terms.has(word.stem) && !isFunctionWord(word.text, GRAMMARS[language]) && word.text.length > 1,
  );
  return own.length > 0 && !isOther && [...asked.names].every((name) => near.has(name));
}

/** The names, in lower case, of the month that the question asks for, if the page is about the question's names. */
function monthsOf({ plan, names }: Asked, { near }: Passage, language: Language): readonly string[] {
  const { from, deadline } = plan;
  if (from === undefined || deadline === undefined || ![...names].every((name) => near.has(name))) return [];
  const { month, monthOfYear } = formatsOf(language);
  const first = monthOfYear.format(from);
  return first === monthOfYear.format(deadline) ? [first, month.format(from)].map((name) => name.toLowerCase()) : [];
}

interface MonthFormats {
  readonly month: Intl.DateTimeFormat;
  readonly monthOfYear: Intl.DateTimeFormat;
}

/** By language, since making one takes longer than reading a row. */
const FORMATS = new Map<Language, MonthFormats>();

function formatsOf(language: Language): MonthFormats {
  const formats = FORMATS.get(language) ?? {
    month: new Intl.DateTimeFormat(language, { month: "long", timeZone: "UTC" }),
    monthOfYear: new Intl.DateTimeFormat(language, { month: "long", year: "numeric", timeZone: "UTC" }),
  };
  FORMATS.set(language, formats);
  return formats;
}

/** Compares one cell with the threshold: the cell below the header that shares the most words with the measured thing. */
function thresholdIn({ asked, head, row, language }: Table, key: number): Row | undefined {
  const [threshold] = asked.thresholds;
  if (threshold === undefined || asked.thresholds.length > 1) return undefined;
  // "more than five gold medals" is in the column "Gold".
  const unit = new Set([threshold.unit, ...wordsOf(`${threshold.unit} ${threshold.text}`).map(({ stem }) => stem)]);
  const scored = row.flatMap((cell, at) => {
    if (at === key) return [];
    const label = head[at];
    const [quantity] = quantitiesOf(`${cell.text} ${label?.note ?? ""}`, language, []);
    if (quantity === undefined || (quantity.unit !== "" && quantity.unit !== threshold.unit)) return [];
    const shared = [...(label?.stems ?? [])].filter((stem) => unit.has(stem) || asked.terms.has(stem)).length;
    const score = shared + (quantity.unit !== "" ? 0.5 : 0);
    return score === 0 ? [] : [{ cell, score, result: meets(quantity, threshold) }];
  });
  const [best, next] = scored.toSorted((a, b) => b.score - a.score);
  if (best === undefined || best.score === next?.score || best.result === "open") return undefined;
  return { sign: best.result === "yes" ? 1 : -1, part: best.cell };
}

/** The place of the subject in a ranking. */
function rankIn({ asked, passage, head, row }: Table): Row | undefined {
  // A place says nothing about a number: "win at least 12 medals".
  if (asked.thresholds.length > 0) return undefined;
  const column = head.findIndex(({ text }) => RANK.test(text));
  const rank = row[column];
  if (!asked.outcomes.has("win") || rank === undefined || !/^\d{1,4}\.?$/u.test(rank.text)) return undefined;
  if (![...(asked.patient?.words ?? [])].every((word) => passage.near.has(word))) return undefined;
  return { sign: Number.parseInt(rank.text, 10) === 1 ? 1 : -1, part: rank };
}

function namesOutcome(text: string, { asked: { outcomes, predicate }, language }: Table): boolean {
  const words = wordsOf(text);
  const found = conceptsIn(words);
  return (
    [...outcomes].some((one) => found.has(one)) ||
    (predicate !== undefined && words.some((word) => isForm(word, predicate, language)))
  );
}

/** A day below the name of the event, or the outcome itself: "Naomi Telford (elected)". */
function eventIn(table: Table, key: number): Row | undefined {
  const { head, row } = table;
  if (table.asked.thresholds.length > 0) return undefined;
  const own = row[key];
  if (own !== undefined && namesOutcome(own.note, table)) return { sign: 1, part: own };
  const column = head.findIndex(({ text }, at) => at !== key && namesOutcome(text, table));
  const cell = row[column];
  return cell === undefined ? undefined : dayIn(cell, table);
}

/** "Opening to traffic | 18 April 2026", on a page about the subject. */
function milestoneIn(table: Table): Row | undefined {
  const { asked, passage, row } = table;
  const [label, value] = row;
  const subject = asked.patient ?? asked.agent;
  if (row.length !== 2 || label === undefined || value === undefined || asked.thresholds.length > 0) return undefined;
  if (subject === undefined || ![...subject.words].every((word) => passage.near.has(word))) return undefined;
  return namesOutcome(label.text, table) ? dayIn(value, table, label.note) : undefined;
}

function dayIn(cell: Cell, { dates }: Table, label = ""): Row | undefined {
  const isDay = dates.some(
    ({ start, end, precision }) => precision === "day" && start >= cell.start && end <= cell.end,
  );
  if (EMPTY.test(cell.text) || PLANNED.test(`${cell.note} ${label}`)) return { sign: 0, part: cell };
  return isDay ? { sign: 1, part: cell } : undefined;
}

/** "2026 | Volpe | Elio Brandi": the holder of a year in a list of winners. */
function holderIn({ asked, passage, head, row }: Table): Row | undefined {
  const { agent, patient, names, years, outcomes, terms } = asked;
  if (agent === undefined || !outcomes.has("win") || !years.has(Number(row[0]?.text))) return undefined;
  if (![...(patient?.words ?? [])].every((word) => passage.near.has(word) || head.some(({ stems }) => stems.has(word))))
    return undefined;
  const fitting = head.findIndex(({ stems }, at) => at > 0 && [...stems].some((stem) => terms.has(stem)));
  const cell = row[Math.max(1, fitting)];
  const own = [...agent.words].filter((word) => names.has(word));
  if (cell === undefined || own.length === 0 || EMPTY.test(cell.text)) return undefined;
  const isOwn = own.every((word) => cell.stems.has(word));
  return isOwn || !own.some((word) => cell.stems.has(word)) ? { sign: isOwn ? 1 : -1, part: cell } : undefined;
}
