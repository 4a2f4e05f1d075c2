import { type Analysis, type Source, type Statement } from "../reading/analysis.ts";
import { speaksToReader } from "../embedded/injection.ts";
import { QuotedText } from "../evidence/quotes.ts";

/** An analysis with valid statements only, and the numbers of dropped statements. */
export interface CheckedAnalysis {
  readonly analysis: Analysis;
  /** Statements whose quotes are not in their source's text. */
  readonly invented: number;
  /** Statements whose quotes address the program that reads the page. */
  readonly orders: number;
}

/**
 * Drops the statements whose quotes are not in the text of their source, and those that give orders to a reader. If a
 * dropped statement supported an outcome, the analyst's probability and reasons are dropped too, since they may rest on
 * it.
 */
export function checkedAnalysis(found: Analysis, sources: readonly Source[]): CheckedAnalysis {
  const texts = sources.map(({ text }) => new QuotedText(text));
  const kept: Statement[] = [];
  let [invented, orders, lost] = [0, 0, 0];
  for (const statement of found.statements) {
    const stands = texts[statement.source]?.has(statement.quote) === true;
    const isOrder = stands && speaksToReader(statement.quote);
    if (stands && !isOrder) kept.push(statement);
    else if (statement.supports !== "NEUTRAL") lost += 1;
    if (!stands) invented += 1;
    if (isOrder) orders += 1;
  }
  return { analysis: lost > 0 ? { statements: kept } : { ...found, statements: kept }, invented, orders };
}
