import {
  type Analysis,
  type Confidence,
  type Evidence,
  type Judgement,
  type Plan,
  type Source,
  type Statement,
  type Verdict,
} from "../reading/analysis.ts";
import { type Balance, balanceOf } from "./balance.ts";
import { hostOf } from "../reading/resolution-source.ts";
import { decides, isExact, speaks } from "./voices.ts";
import { whyOf } from "./why.ts";

/** Probability of YES without evidence: most questions and most claims that are checked turn out false. */
const PRIOR = 0.35;
/** Bounds of a probability: pages never make an outcome certain. */
const LEAST = 0.01;
const GREATEST = 0.99;

/**
 * Verdicts by probability. YES and NO also need `FIRM_VOICES` voices that state the outcome, one of them without other
 * words that may turn its sense, or the resolution source.
 */
const FIRM_VOICES = 2;
const YES_FROM = 0.88;
const LIKELY_YES_FROM = 0.65;
const LIKELY_NO_TO = 0.2;
const NO_TO = 0.1;

/** Bounds of the probability if the sources leave the question open. */
const OPEN_LEAST = 0.25;
const OPEN_GREATEST = 0.6;
/** Pieces of evidence in a response. */
const MAX_EVIDENCE = 12;

/** Weighs statements whose quotes were checked. `now` is in Unix ms. */
export function weigh(plan: Plan, sources: readonly Source[], analysis: Analysis, now: number): Judgement {
  const balance = balanceOf(plan, sources, analysis.statements);
  const probability = probabilityOf(plan, analysis, balance);
  const verdict = verdictOf(plan, probability, analysis.statements, balance);
  const confidence = confidenceOf(verdict, balance);
  const ordered = ranked(analysis.statements, balance, verdict);
  const reasoning = whyOf({ plan, sources, now, verdict, statements: ordered, balance, analysis });
  return { probability, verdict, confidence, reasoning, evidence: ordered.map((one) => evidenceOf(one, sources)) };
}

function probabilityOf(plan: Plan, analysis: Analysis, balance: Balance): number {
  if (analysis.statements.length === 0) return PRIOR;
  const spoken = balance.voices.some(decides);
  const own = clamp(analysis.probability ?? PRIOR, LEAST, GREATEST);
  // A claim that no source supports is usually false. An event that no source reports may still have happened.
  const isOpen = !spoken && !isLeaning(plan);
  // The text around a sentence cannot outweigh the outcome that the sentence states.
  const lean = spoken || isOpen ? clamp(own, OPEN_LEAST, OPEN_GREATEST) : own;
  const probability = logistic(logit(lean) + balance.forYes - balance.forNo);
  if (isOpen || balance.contradicted) return round(clamp(probability, OPEN_LEAST, OPEN_GREATEST));
  return round(clamp(probability, LEAST, GREATEST));
}

/** Whether the text around may decide. It cannot tell that something did not happen. */
function isLeaning({ isClaim, negated }: Plan): boolean {
  return isClaim && !negated;
}

function verdictOf(plan: Plan, probability: number, statements: readonly Statement[], balance: Balance): Verdict {
  const { voices, contradicted } = balance;
  const spoken = voices.some(decides);
  if (statements.length === 0 || contradicted || (!spoken && !isLeaning(plan))) return "UNCERTAIN";
  const isFirm = (sign: number): boolean => {
    const agreeing = voices.filter(
      (one) =>
        one.sign === sign &&
        !one.isAside &&
        speaks(one) &&
        one.statements.some(({ isForeign, isTurnable }) => isForeign !== true && isTurnable !== true),
    );
    const exact = agreeing.filter((one) =>
      one.statements.some((statement) => isExact(statement) && statement.isForeign !== true),
    );
    return (exact.length > 0 && agreeing.length >= FIRM_VOICES) || exact.some((one) => one.isResolutionSource);
  };
  if (probability >= LIKELY_YES_FROM) {
    if (probability >= YES_FROM && isFirm(1)) return "YES";
    // The verdict is not YES or LIKELY_YES if no source says so.
    return voices.some((one) => one.sign === 1 && decides(one)) ? "LIKELY_YES" : "UNCERTAIN";
  }
  if (probability <= LIKELY_NO_TO) return probability <= NO_TO && isFirm(-1) ? "NO" : "LIKELY_NO";
  return "UNCERTAIN";
}

function confidenceOf(verdict: Verdict, { voices, forYes, forNo }: Balance): Confidence {
  if (verdict === "UNCERTAIN") return "low";
  const sign = verdict === "YES" || verdict === "LIKELY_YES" ? 1 : -1;
  const agreeing = voices.filter((one) => one.sign === sign && decides(one));
  const dissent = sign === 1 ? forNo : forYes;
  if (agreeing.length === 0 || dissent > 1) return "low";
  if (agreeing.some((one) => one.isResolutionSource) || (agreeing.length >= 3 && dissent === 0)) return "high";
  return agreeing.length >= 2 || dissent === 0 ? "medium" : "low";
}

/** The statements as evidence. Those of the voices that decided come first. */
function ranked(statements: readonly Statement[], balance: Balance, verdict: Verdict): Statement[] {
  const side = verdict === "YES" || verdict === "LIKELY_YES" ? "YES" : verdict === "UNCERTAIN" ? undefined : "NO";
  const weight = (one: Statement): number => {
    const voice = balance.voices.find((voice_) => voice_.statements.includes(one));
    return (
      (one.supports === "NEUTRAL" ? 0 : 1) +
      (one.supports === side ? 1 : 0) +
      (voice?.strength ?? 0) +
      one.strength +
      (voice?.isResolutionSource === true ? 3 : 0)
    );
  };
  return statements.toSorted((a, b) => weight(b) - weight(a)).slice(0, MAX_EVIDENCE);
}

function evidenceOf(statement: Statement, sources: readonly Source[]): Evidence {
  const source = sources[statement.source];
  const url = source?.url ?? "";
  const title = source?.title.trim() ?? "";
  return {
    claim: statement.quote,
    source: title === "" ? (hostOf(url) ?? url) : title,
    supports: statement.supports,
    url,
  };
}

function logistic(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}

function logit(probability: number): number {
  return Math.log(probability / (1 - probability));
}

function clamp(value: number, least: number, greatest: number): number {
  return Math.min(greatest, Math.max(least, value));
}

function round(probability: number): number {
  return Math.round(probability * 1_000) / 1_000;
}
