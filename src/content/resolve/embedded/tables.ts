import { MAX_ROWS, type Passage } from "../evidence/passages.ts";
import { areContrary, conceptsIn } from "../reading/concepts.ts";
import { topIn } from "../reading/number-words.ts";
import { PLANNED, STAGE } from "../reading/phrases.ts";
import { quantitiesOf } from "../reading/quantities.ts";
import { type ReadSentence } from "../reading/spans.ts";
import { OUTCOMES, WORDS } from "../reading/vocabulary.ts";
import { isForm, wordsOf } from "../reading/words.ts";
import { type Asked } from "./question.ts";
import { type Cell, cellsOf, FINAL, isInterim, isOfQuestion, RANK, type Row, subjectOf, type Table } from "./table.ts";
import { extremeIn, figureIn } from "./table-figures.ts";
import { isWithin } from "../reading/ranges.ts";

const EMPTY = /^[–—-]?$/u;

/** Reads a row whose table has a header. Undefined if it is about something else. */
export function rowOf(asked: Asked, passage: Passage, { language, dates }: ReadSentence): Row | undefined {
  if (passage.table === undefined) return undefined;
  const row = cellsOf(passage.text);
  const labels = cellsOf(passage.table.header);
  // The first cell of a header can be empty.
  const isShort = passage.table.rows.every((text) => text.split("\t").length === labels.length + 1);
  const head = isShort ? [...cellsOf(""), ...labels] : labels;
  if (head.length !== row.length) return undefined;
  const known = new Set([...passage.near, ...[...head, ...row].flatMap(({ stems }) => [...stems])]);
  const table = { ...passage.table, asked, passage, language, dates, head, row, known };
  const isOfStage = STAGE.test(table.caption) && !STAGE.test(asked.plan.question);
  if (NO_RESULTS.test(table.caption) || isOfStage) return undefined;
  const found = inTable(table);
  return found === undefined ? undefined : { ...found, isLoose: found.isLoose === true || isOfLesser(table) };
}

/** "women's winners", "junior champions", if the question does not say so. */
function isOfLesser({ asked, caption }: Table): boolean {
  const statement = asked.plan.statement.toLowerCase();
  return caption.match(LESSER)?.some((word) => !statement.includes(word.toLowerCase())) === true;
}

const LESSER =
  /(?<!\p{L})(?:women|girls|junior|youth|under-?\d|u-?\d\d|reserves|frauen|jugend|femmes|féminin|espoirs|femenin|juvenil|femminil|giovanil|feminin)/giu;

function inTable(table: Table): Row | undefined {
  const { asked, known } = table;
  const missing = [...asked.names].filter((name) => !known.has(name));
  // A list of winners need not name who did not win.
  if (missing.some((name) => asked.agent?.words.has(name) !== true)) return undefined;
  if (missing.length > 0) return holderIn(table);
  if (topIn(asked.plan.statement) !== undefined) return rankIn(table);
  if (asked.thresholds.length > 0) return extremeIn(table) ?? figureIn(table);
  return eventIn(table) ?? votesIn(table) ?? rankIn(table) ?? statusIn(table) ?? milestoneIn(table) ?? holderIn(table);
}

const VOTES =
  /^(?:votes?|vote\sshare|share|%|percent(?:age)?|per\scent|pct|stimmen(?:anteil)?|anteil|voix|suffrages|votos|porcentaje|voti|percentuale|porcentagem)$/iu;
/** The party with the most votes need not govern. */
const PARTY = /^(?:party|list|partei|liste|parti|partido|partito|lista)$/iu;
const SEATS = /\b(?:seats|mandates)\b|sitze|mandate|sièges|escaños|seggi|cadeiras|assentos/iu;
const NOBODY =
  /^(?:total|write-?in|others?|invalid|blank|turnout|none|abst|rejected|spoil|gesamt|sonstige|ungültig|blancs?|nuls?|autres|otros|nulos|altri|nulle|bianche|outros|brancos)/iu;
/** Captions of tables that tell no results. */
const NO_RESULTS =
  /(?:opinion|exit)\spoll|\bpolls?(?=[.,:;]|\s(?:of|by|average|tracker|results?)(?!\p{L})|$)|survey|forecast|odds|projection|outlook|preview|schedule|upcoming|calendar|timetable|fixtures|attendance|salar|seeds|umfrage|prognose|fahrplan|sondage|prévision|calendrier|encuesta|sondeo|calendario|sondagg|previsi|pesquisa|sondagem/iu;

/** The candidate with the most votes is elected. */
function votesIn(table: Table): Row | undefined {
  const { asked, caption, head, row, rows, language } = table;
  const column = head.findIndex(({ text }) => (SEATS.test(asked.plan.statement) ? SEATS : VOTES).test(text));
  const subject = subjectOf(table);
  const own = row[column];
  if (!asked.outcomes.has("elect") || subject < 0 || own === undefined || rows.length > MAX_ROWS) return undefined;
  const seats = head.findIndex(({ text }) => SEATS.test(text));
  if (seats >= 0 && !SEATS.test(asked.plan.statement)) return undefined;
  const counts = rows.flatMap((text) => {
    const cells = cellsOf(text);
    const [count] = quantitiesOf(cells[column]?.text ?? "", language, []);
    return cells.length !== head.length || NOBODY.test(cells[subject]?.text ?? "") || count === undefined
      ? []
      : [count.value];
  });
  const [count] = quantitiesOf(own.text, language, []);
  const most = Math.max(...counts);
  if (count === undefined || counts.length < 2 || counts.filter((value) => value === most).length > 1) return undefined;
  return {
    sign: count.value === most ? 1 : -1,
    part: own,
    isFinal: true,
    isLoose: !FINAL.test(caption) || PARTY.test(head[subject]?.text ?? ""),
  };
}

/** The place of the subject in a ranking. */
function rankIn(table: Table): Row | undefined {
  const { asked, caption, head, row, known } = table;
  const rank = row[head.findIndex(({ text }) => RANK.test(text))];
  const top = topIn(asked.plan.statement);
  const least = top ?? 1;
  const isAsked = top !== undefined || asked.outcomes.has("win");
  if (!isAsked || subjectOf(table) < 0 || rank === undefined || !/^\d{1,4}\.?$/u.test(rank.text)) return undefined;
  if (![...(asked.patient?.words ?? [])].every((word) => known.has(word))) return undefined;
  return {
    sign: Number.parseInt(rank.text, 10) <= least ? 1 : -1,
    part: rank,
    isLoose: isInterim(table) || !OVER.test(caption),
  };
}

/** Captions of rankings that do not change any more. */
const OVER = new RegExp(
  String.raw`${FINAL.source}|(?<!\p{L})(?:results?|winners|podium|ergebnis\p{L}*|résultats?|resultados?|risultat[oi])(?!\p{L})`,
  "iu",
);

function namesOutcome(text: string, { asked: { outcomes, predicate }, language }: Table): boolean {
  const words = wordsOf(text);
  const found = conceptsIn(words);
  return (
    [...outcomes].some((one) => found.has(one)) ||
    (predicate !== undefined && words.some((word) => isForm(word, predicate, language)))
  );
}

/** A day below the name of the event, or the outcome itself: "Naomi Telford (elected)". */
function eventIn(table: Table): Row | undefined {
  const { head, row, caption } = table;
  const key = subjectOf(table);
  const own = row[key];
  if (own === undefined) return undefined;
  if (namesOutcome(own.note, table)) return { sign: 1, part: own };
  // "Dunmere Athletic | 74 | promoted"
  const said = row.find((cell, at) => at !== key && isBareOutcome(cell, head[at], table));
  if (said !== undefined) return { sign: 1, part: said, isLoose: isInterim(table) };
  const column = head.findIndex(({ text }, at) => at !== key && namesOutcome(text, table));
  const cell = row[column];
  if (cell !== undefined) return dayIn(cell, table);
  // A list of launches has the day of each.
  const day = row[head.findIndex(({ text }) => DAY.test(text))];
  return day !== undefined &&
    namesOutcome(caption, table) &&
    !head.some(({ text }) => WORDS.status.has(text.toLowerCase()) && !/outcome/iu.test(text))
    ? dayIn(day, table)
    : undefined;
}

/** Whether a cell has the outcome as its only word, and its column is not of an earlier time. */
function isBareOutcome({ text }: Cell, label: Cell | undefined, { asked, language }: Table): boolean {
  const [word, ...others] = wordsOf(text);
  const { predicate } = asked;
  if (word === undefined || predicate === undefined || others.length > 0 || !/^\p{L}{5,}$/u.test(text)) return false;
  return isForm(word, predicate, language) && !/\d|last|previous|former|expected|forecast/iu.test(label?.text ?? "");
}

const DAY = /^(?:date|day|datum|tag|jour|fecha|día|data|giorno|dia)$/iu;

/** The outcome in a column for it: "Status | Signed", "Result | Failed". */
function statusIn(table: Table): Row | undefined {
  const { asked, head, row } = table;
  const cell = row[head.findIndex(({ text }) => WORDS.status.has(wordsOf(text).at(-1)?.text))];
  const subject = asked.patient ?? asked.agent;
  const key = row.findIndex(
    (one) => isOfQuestion(one, table, () => false) && [...(subject?.words ?? [])].every((word) => one.stems.has(word)),
  );
  const [first] = wordsOf(cell?.text ?? "");
  if (cell === undefined || subject === undefined || key < 0 || first === undefined || PLANNED.test(cell.raw))
    return undefined;
  if (STAGE.test(cell.text) || wordsOf(cell.text).length > 3) return undefined;
  const part = { start: 0, end: row.at(-1)?.end ?? cell.end };
  const found = conceptsIn(wordsOf(cell.text));
  if (FAILED.test(cell.text)) found.add("reject");
  if ([...asked.outcomes].some((one) => found.has(one))) return { sign: 1, part };
  const contrary = [...found].find((one) => [...asked.outcomes].some((other) => areContrary(one, other)));
  return contrary === undefined ? undefined : { sign: -1, part, isFinal: OUTCOMES.final.has(contrary) };
}

const FAILED = /^(?:failed|lost|defeated|not\s(?:passed|carried|agreed))$/iu;

/** "Opening to traffic | 18 April 2026", on a page about the subject. */
function milestoneIn(table: Table): Row | undefined {
  const { asked, known, row } = table;
  const [label, value] = row;
  const subject = asked.patient ?? asked.agent;
  if (row.length !== 2 || label === undefined || value === undefined) return undefined;
  if (subject === undefined || ![...subject.words].every((word) => known.has(word))) return undefined;
  return namesOutcome(label.text, table) ? dayIn(value, table, label.note) : undefined;
}

function dayIn(cell: Cell, { dates }: Table, label = ""): Row | undefined {
  const isDay = dates.some((date) => date.precision === "day" && isWithin(date, cell));
  if (EMPTY.test(cell.text) || PLANNED.test(`${cell.note} ${label}`)) return { sign: 0, part: cell };
  return isDay ? { sign: 1, part: cell } : undefined;
}

const WINNER =
  /^(?:winners?|champions?|recipients?|laureates?|sieger(?:in)?|gewinner(?:in)?|vainqueurs?|lauréat\p{L}*|champion\p{L}*|ganador\p{L}*|campe[oó]n\p{L}*|vincitor\p{L}|campion\p{L}|vencedor\p{L}*|campe[ãõ]\p{L}*)$/iu;

/** "2026 | Volpe | Elio Brandi", "Women's singles | Ana Vukic": the holder of a year or of a title in a list of winners. */
function holderIn(table: Table): Row | undefined {
  const { asked, head, row, known } = table;
  const { agent, patient, names, years, outcomes, terms } = asked;
  if (agent === undefined || !outcomes.has("win")) return undefined;
  if (![...(patient?.words ?? [])].every((word) => known.has(word))) return undefined;
  const isOfYear = years.has(Number(row[0]?.text));
  const winner = head.findIndex(({ text }) => WINNER.test(text));
  const fitting = head.findIndex(({ stems }, at) => at > 0 && [...stems].some((stem) => terms.has(stem)));
  const [title] = row;
  const isOfTitle =
    title !== undefined &&
    winner > 0 &&
    [...title.stems].some((stem) => patient?.words.has(stem)) &&
    isOfQuestion(title, table, () => false);
  const cell = row[isOfYear ? Math.max(1, winner < 0 ? fitting : winner) : winner];
  const own = [...agent.words].filter((word) => names.has(word));
  if (!(isOfYear || isOfTitle) || cell === undefined || own.length === 0 || EMPTY.test(cell.text)) return undefined;
  const isOwn = own.every((word) => cell.stems.has(word));
  return isOwn || !own.some((word) => cell.stems.has(word))
    ? { sign: isOwn ? 1 : -1, part: cell, isFinal: true }
    : undefined;
}
