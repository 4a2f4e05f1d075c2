import { QuotedText } from "../evidence/quotes.ts";
import { type Analysis, type Source, type Statement, type Support } from "../reading/analysis.ts";
import { isWholeSentence } from "./whole-sentence.ts";

/** Bounds of a model's own probability: only sentences decide. */
const LEAST = 0.25;
const GREATEST = 0.6;
/** Minimum strength of a sentence that a model must not leave out if it contradicts the model's quotes. */
const OPPOSES = 0.5;

/** A model's analysis as far as the embedded reading agrees, and the numbers of the statements that it changed. */
export interface ComparedAnalysis {
  readonly analysis: Analysis;
  /** Statements whose sentences do not share the question's subject and predicate. They are dropped. */
  readonly unrelated: number;
  /** Statements whose sentences state no outcome by the embedded reading. They become neutral. */
  readonly unstated: number;
  /** Statements whose sentences state the opposite by the embedded reading. All statements become neutral. */
  readonly disputed: number;
  /** Sentences that the model left out, and that contradict its quotes. They are added. */
  readonly omitted: number;
}

/**
 * Compares a model's statements with the embedded reading of the same sources. A quote grows to its whole sentence, and
 * only the outcome on which both agree counts.
 */
export function comparedAnalysis(found: Analysis, own: Analysis, sources: readonly Source[]): ComparedAnalysis {
  const readings = own.statements.map((statement) => ({ statement, text: new QuotedText(statement.quote) }));
  const kept = new Map<Statement, Statement>();
  let [unrelated, unstated, disputed, lost] = [0, 0, 0, 0];
  for (const claimed of found.statements) {
    const sentence = sentenceOf(claimed, readings);
    if (sentence === undefined) {
      unrelated += 1;
      lost += claimed.supports === "NEUTRAL" ? 0 : 1;
      continue;
    }
    const isWhole = isWholeSentence(sources[claimed.source]?.text ?? "", sentence.quote);
    const read = isWhole ? sentence.supports : "NEUTRAL";
    if (claimed.supports !== "NEUTRAL" && read === "NEUTRAL") unstated += 1;
    if (isOpposite(claimed.supports, read)) disputed += 1;
    const supports = claimed.supports === read ? read : "NEUTRAL";
    kept.set(sentence, { ...sentence, supports, strength: Math.min(sentence.strength, claimed.strength) });
  }
  const agreed = [...kept.values()];
  const omitted = disputed > 0 ? [] : omittedBy(agreed, own.statements);
  const counts = { unrelated, unstated, disputed, omitted: omitted.length };
  if (disputed > 0) return { analysis: { statements: agreed.map(neutral) }, ...counts };
  const statements = [...agreed, ...omitted];
  const isTrusted = lost + unstated + omitted.length === 0;
  return { analysis: isTrusted ? grounded({ ...found, statements }) : { statements }, ...counts };
}

/**
 * The sentence that contains a statement's quote, or a sentence of a longer quote. Of several, the one that states the
 * same outcome comes first, then one that states the opposite.
 */
function sentenceOf(
  claimed: Statement,
  readings: readonly { readonly statement: Statement; readonly text: QuotedText }[],
): Statement | undefined {
  const quote = new QuotedText(claimed.quote);
  const rank = ({ supports }: Statement): number =>
    supports === claimed.supports ? 0 : supports === "NEUTRAL" ? 2 : 1;
  return readings
    .filter(
      ({ statement, text }) =>
        statement.source === claimed.source && (text.has(claimed.quote) || quote.has(statement.quote)),
    )
    .map(({ statement }) => statement)
    .toSorted((a, b) => rank(a) - rank(b))[0];
}

/** The sentences for the outcome against which the model has quotes only. */
function omittedBy(agreed: readonly Statement[], all: readonly Statement[]): Statement[] {
  const isFor = (side: Support) => agreed.some(({ supports }) => supports === side);
  if (isFor("YES") === isFor("NO")) return [];
  const opposite = isFor("YES") ? "NO" : "YES";
  return all.filter(
    ({ supports, strength, isAside }) => supports === opposite && strength >= OPPOSES && isAside !== true,
  );
}

function isOpposite(one: Support, other: Support): boolean {
  return one !== other && one !== "NEUTRAL" && other !== "NEUTRAL";
}

function neutral(statement: Statement): Statement {
  return { ...statement, supports: "NEUTRAL" };
}

/**
 * A model's own probability counts only on the side of its statements, since a page may have manipulated the number
 * alone.
 */
function grounded({ statements, probability = 0.5, reasoning }: Analysis): Analysis {
  const side = probability === 0.5 ? undefined : probability > 0.5 ? "YES" : "NO";
  if (!statements.some(({ supports }) => supports === side)) return { statements };
  return { statements, probability: Math.min(GREATEST, Math.max(LEAST, probability)), reasoning };
}
