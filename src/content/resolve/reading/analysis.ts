/** The data of a resolution, in its order: plan → sources → analyst → checked statements → judgement. */

/** The comparison of a quantity with its threshold in a question. */
export type Comparison = "above" | "at least" | "below" | "at most" | "equal";

/**
 * A number in the question that decides it: "above $100,000" is `{ comparison: "above", value: 100000, unit: "usd" }`.
 */
export interface Threshold {
  readonly comparison: Comparison;
  /** In the base unit of `unit`: "2.5 million km" is 2.5e9 of "m". */
  readonly value: number;
  /**
   * The base unit ("usd", "percent", "m", "kg"), or the plural noun that is counted. Empty for a number without a unit.
   */
  readonly unit: string;
  /** The words of the question for this threshold. */
  readonly text: string;
}

/** The source that decides according to the criteria. */
export interface ResolutionSource {
  /** The name in the criteria: "Bureau of Labor Statistics", "nasa.gov". */
  readonly name: string;
  /** The host, in lower case and without "www.", if the criteria give a host. */
  readonly host: string | undefined;
}

/** The question as data. It depends only on question, criteria and the clock that the caller passes. */
export interface Plan {
  readonly question: string;
  readonly criteria: string;
  /** The question as a statement, without "Is it true that" and the question mark. */
  readonly statement: string;
  /** Whether the question asks for the truth of a claim: "Is it true that ...?". */
  readonly isClaim: boolean;
  /** Whether YES means that the statement's event does not happen: "Will X fail to ...?". */
  readonly negated: boolean;
  /**
   * Stems of names and content words that are compared with passages: in lower case, without those of dates and
   * quantities, at most 40.
   */
  readonly terms: readonly string[];
  /** The names among `terms`. */
  readonly names: readonly string[];
  readonly thresholds: readonly Threshold[];
  /** The last instant that counts, Unix ms. Undefined if the question has no deadline. */
  readonly deadline: number | undefined;
  /** The first instant that counts, Unix ms. Undefined if the question does not give one. */
  readonly from: number | undefined;
  /** Set if the deadline has two readings. `deadline` is the later reading, `earliest` the earlier one. */
  readonly ambiguity?: { readonly text: string; readonly earliest: number } | undefined;
  readonly resolutionSource: ResolutionSource | undefined;
  /** The two questions of "Did A and B happen?", "If A happens, will B?" and "Did A happen before B?". */
  readonly parts?: { readonly relation: Relation; readonly plans: readonly [Plan, Plan] } | undefined;
  /** The terms of the whole question, for one of two parts. */
  readonly known?: readonly string[] | undefined;
  /** 2 to 5 different queries for the search service, best first. */
  readonly queries: readonly string[];
}

/** The relation of the two events of a question. `if`: the first is the condition of the second. */
export type Relation = "and" | "or" | "if" | "before" | "after";

export interface Source {
  readonly url: string;
  readonly title: string;
  /** The name of the site, if the page says it. */
  readonly site?: string | undefined;
  /** The main content as plain text or Markdown. Its length is bounded when the page is read. */
  readonly text: string;
  /** When the page was published or last updated, Unix ms. Undefined if the page does not say. */
  readonly published: number | undefined;
  /** The page's language tag ("de", "zh-Hans"), or empty. */
  readonly language: string;
  readonly isHint: boolean;
}

/** The outcome of a question that a statement supports. `NEUTRAL`: neither. */
export type Support = "YES" | "NO" | "NEUTRAL";

/** The kind of a sentence: it states a fact, a plan, a possibility or a negation, asks, or reports another's words. */
export type StatementKind =
  | "report"
  | "announcement"
  | "hedged"
  | "denial"
  | "question"
  | "quotation"
  | "fact-check"
  | "satire"
  | "retraction";

/** A sentence in a source that bears on the question. */
export interface Statement {
  readonly source: number;
  /** Verbatim from the source's text. */
  readonly quote: string;
  readonly supports: Support;
  readonly kind: StatementKind;
  /** The strength with which the sentence alone decides the question, 0 to 1. */
  readonly strength: number;
  /** When the event took place or the figure held, Unix ms, if the sentence gives a date. */
  readonly date?: number | undefined;
  /** The statement decides nothing: its date, or the question's, does not show whether the event was in time. */
  readonly isDateOpen?: boolean;
  /** The page mentions it in passing, so that it only supports a source that reports it. */
  readonly isAside?: boolean;
  /** Words that the reading leaves out may make it another thing: it contradicts, or supports an exact statement. */
  readonly isLoose?: boolean;
  /** Other words may deny what it states: it only contradicts. */
  readonly isTurnable?: boolean;
  /** It says that the event has not happened yet. */
  readonly isPending?: boolean;
  /** It is in another language than the question, so it supports no more than a likely verdict. */
  readonly isForeign?: boolean;
}

export interface Analysis {
  readonly statements: readonly Statement[];
  /** The analyst's own probability of YES, 0 to 1, if it has one. */
  readonly probability?: number | undefined;
  /** The analyst's own reasons, if it gives any. */
  readonly reasoning?: string | undefined;
}

/** Reads sources and finds statements that bear on the question. */
export interface Analyst {
  readonly name: string;
  /** Rejects with the signal's reason if that aborts. */
  analyse(
    plan: Plan,
    sources: readonly Source[],
    options: { readonly now: number; readonly signal: AbortSignal },
  ): Promise<Analysis>;
}

/** The judgement of a question: YES or NO, each also with less certainty. */
export type Verdict = "YES" | "LIKELY_YES" | "UNCERTAIN" | "LIKELY_NO" | "NO";
export type Confidence = "high" | "medium" | "low";

/** A statement in the form of the response. */
export interface Evidence {
  readonly claim: string;
  /** The page's title, or its host if the page has no title. */
  readonly source: string;
  readonly supports: Support;
  readonly url: string;
}

export interface Judgement {
  /** 0.01 to 0.99. */
  readonly probability: number;
  readonly verdict: Verdict;
  readonly confidence: Confidence;
  /** Plain sentences that refer to the evidence by its number, from 1. */
  readonly reasoning: string;
  /** Heaviest first, at most 12. */
  readonly evidence: readonly Evidence[];
}
