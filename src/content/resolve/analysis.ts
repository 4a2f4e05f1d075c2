/** What passes between the parts of a resolution: plan → sources → analyst → checked statements → judgement. */

/** How a question compares a quantity with its threshold. */
export type Comparison = "above" | "at least" | "below" | "at most" | "equal";

/** A number of the question that decides it: "above $100,000" is `{ comparison: "above", value: 100000, unit: "usd" }`. */
export interface Threshold {
  readonly comparison: Comparison;
  /** In the base unit of `unit`: "2.5 million km" is 2.5e9 of "m". */
  readonly value: number;
  /** The base unit ("usd", "percent", "m", "kg"), or the plural noun that is counted; empty for a bare number. */
  readonly unit: string;
  /** The words of the question that say so. */
  readonly text: string;
}

/** The source that the criteria name as the one that decides. */
export interface ResolutionSource {
  /** As the criteria call it: "Bureau of Labor Statistics", "nasa.gov". */
  readonly name: string;
  /** The host, in lower case and without "www.", if the criteria give one. */
  readonly host: string | undefined;
}

/** What is asked: made of question and criteria alone, against a clock that is passed in. */
export interface Plan {
  readonly question: string;
  readonly criteria: string;
  /** The question as a statement, without "Is it true that" and the question mark. */
  readonly statement: string;
  /** Whether YES means that the statement's event does not happen: "Will X fail to ...?". */
  readonly negated: boolean;
  /** Names and content words that a passage may share, as stems in lower case, without those of dates and quantities; at most 40. */
  readonly terms: readonly string[];
  /** Those of `terms` that are names. */
  readonly names: readonly string[];
  readonly thresholds: readonly Threshold[];
  /** The last instant that counts, Unix ms; undefined if the question has no deadline. */
  readonly deadline: number | undefined;
  /** The first instant that counts, Unix ms, if the question gives one. */
  readonly from: number | undefined;
  /** Set if the deadline can be read in two ways; `deadline` is the later one, and this tells the earlier one. */
  readonly ambiguity?: { readonly text: string; readonly earliest: number } | undefined;
  readonly resolutionSource: ResolutionSource | undefined;
  /** 2 to 5 different queries for the search service, the best first. */
  readonly queries: readonly string[];
}

/** A source that was read. */
export interface Source {
  readonly url: string;
  readonly title: string;
  /** The main content as plain text or Markdown; its reader bounds it. */
  readonly text: string;
  /** Unix ms, if the page says when it was published or last updated. */
  readonly published: number | undefined;
  /** The page's own tag ("de", "zh-Hans"), or empty. */
  readonly language: string;
  readonly isHint: boolean;
}

export type Support = "YES" | "NO" | "NEUTRAL";

/** What a sentence does: says what is, what is planned, what may be, what is not, asks, or repeats what others say. */
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

/** A sentence of a source that bears on the question. */
export interface Statement {
  /** The index in the list of sources. */
  readonly source: number;
  /** Verbatim from the source's text. */
  readonly quote: string;
  readonly supports: Support;
  readonly kind: StatementKind;
  /** How firmly the sentence decides the question by itself, 0 to 1. */
  readonly strength: number;
  /** When the event took place or the figure held, Unix ms, if the sentence says. */
  readonly date?: number | undefined;
  /** It states nothing, since its date or the question's can be read in two ways. */
  readonly isDateOpen?: boolean;
}

/** What an analyst found. */
export interface Analysis {
  readonly statements: readonly Statement[];
  /** The analyst's own probability of YES, 0 to 1, if it has one. */
  readonly probability?: number | undefined;
  /** The analyst's own reasons, if it gives some. */
  readonly reasoning?: string | undefined;
}

/** Reads sources and says what in them bears on the question. */
export interface Analyst {
  readonly name: string;
  /** Rejects with the signal's reason if that aborts. */
  analyse(
    plan: Plan,
    sources: readonly Source[],
    options: { readonly now: number; readonly signal: AbortSignal },
  ): Promise<Analysis>;
}

export type Verdict = "YES" | "LIKELY_YES" | "UNCERTAIN" | "LIKELY_NO" | "NO";
export type Confidence = "high" | "medium" | "low";

/** A statement as the response shows it. */
export interface Evidence {
  /** The quoted statement. */
  readonly claim: string;
  /** The title of the page, or its host if it has none. */
  readonly source: string;
  readonly supports: Support;
  readonly url: string;
}

/** What comes of it all. */
export interface Judgement {
  /** 0.01 to 0.99. */
  readonly probability: number;
  readonly verdict: Verdict;
  readonly confidence: Confidence;
  /** Plain sentences that name the evidence by its number, from 1. */
  readonly reasoning: string;
  /** The weightiest first; at most 12. */
  readonly evidence: readonly Evidence[];
}
