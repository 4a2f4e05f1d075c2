import { type Passage, type SourceTable } from "../evidence/passages.ts";
import { type NamedDate } from "../reading/dates.ts";
import { GRAMMARS, isFunctionWord } from "../reading/grammar.ts";
import { type Language, wordsOf } from "../reading/words.ts";
import { type Asked } from "./question.ts";

/** The outcome by a row of a table, and the place of its cell. */
export interface Row {
  /** 0 if the cell is empty, or names what is to come. */
  readonly sign: -1 | 0 | 1;
  readonly part: { readonly start: number; readonly end: number };
  /** Whether it excludes that the outcome follows later. */
  readonly isFinal?: boolean;
  /** Whether the table may still change. */
  readonly isLoose?: boolean;
  /** Whether a label says that the cell is of the time of the question. */
  readonly isDated?: boolean;
}

export interface Cell {
  readonly raw: string;
  /** Without what stands in parentheses. */
  readonly text: string;
  readonly note: string;
  readonly stems: ReadonlySet<string>;
  readonly start: number;
  readonly end: number;
}

export interface Table extends SourceTable {
  readonly asked: Asked;
  readonly passage: Passage;
  readonly language: Language;
  /** The dates in the row. */
  readonly dates: readonly NamedDate[];
  readonly head: readonly Cell[];
  readonly row: readonly Cell[];
  /** The stems of the question in the row, the header, the title, and the sentences before. */
  readonly known: ReadonlySet<string>;
}

export const RANK =
  /^(?:rank|place|pos|position|#|no|rang|platz|place|puesto|posición|lugar|posto|posizione|posição)\.?$/iu;

export const FINAL = /certified|official|final|amtlich|endgültig|définiti|officiel|definitiv|oficial|ufficial/iu;
/** Words for a table that may still change. */
const INTERIM =
  /after\s\d+\s(?:match|game|round|race)|matchday|live|so\sfar|provisional|preliminary|partial|early|counted|precincts|project|vorläufig|spieltag|provisoire|partiel|journée|provisional|parcial|jornada|provvisori|parzial|giornata|provisóri/iu;
/** Whether a caption says that the table may still change. */
export function isInterim({ caption }: SourceTable): boolean {
  return INTERIM.test(caption) && !FINAL.test(caption);
}

/** The cells of a row, with their places in it. */
export function cellsOf(text: string): Cell[] {
  let start = 0;
  return text.split("\t").map((raw) => {
    const cell = { raw, start, end: start + raw.length };
    start += raw.length + 1;
    const note = /\(([^)]*)\)/u.exec(raw)?.[1] ?? "";
    const plain = raw.replace(/\([^)]*\)/gu, "").trim();
    return { ...cell, text: plain, note, stems: new Set(wordsOf(plain).map(({ stem }) => stem)) };
  });
}

/** Whether a cell has words of the question, and no others but those of `isLight`. */
export function isOfQuestion({ text }: Cell, { asked, language }: Table, isLight: (word: string) => boolean): boolean {
  const words = wordsOf(text).filter((word) => !isFunctionWord(word.text, GRAMMARS[language]) && word.text.length > 1);
  return (
    words.some(({ stem }) => asked.terms.has(stem)) &&
    words.every((word) => asked.terms.has(word.stem) || isLight(word.text))
  );
}

/** Whether a cell names the subject and nothing else: "Penalva do Mar" is not Penalva. */
function isSubject(cell: Cell, table: Table): boolean {
  return [...table.asked.names].some((name) => cell.stems.has(name)) && isOfQuestion(cell, table, () => false);
}

/** The column whose cell names the subject, or -1. */
export function subjectOf(table: Table): number {
  return table.row.findIndex((cell) => isSubject(cell, table));
}
