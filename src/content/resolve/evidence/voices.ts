import { type Plan, type Source, type Statement } from "../reading/analysis.ts";
import { isOf } from "../reading/resolution-source.ts";
import { originsOf, ownerOf } from "./origins.ts";
import { storiesOf } from "./stories.ts";

const DAY = 86_400_000;

/** Minimum strength of a statement that decides. Weaker statements only add weight. */
const DECIDES = 0.5;
/** The factor for a voice that a newer one contradicts, and for one without a date. */
const OUTDATED = 0.25;
const UNDATED = 0.6;
/** The factor for other voices if the resolution source has spoken. */
const OVERRULED = 0.15;
/** If a page supports both sides and their strengths differ by less, it supports neither. */
const MIXED = 0.15;

/**
 * One independent story, and whether it supports or denies the outcome. Near-duplicate pages, pages of one owner, and
 * pages that cite one origin are one voice.
 */
export interface Voice {
  /** Indexes of the sources that tell the story. The first represents all. */
  readonly sources: readonly number[];
  /** 1 for YES, -1 for NO. */
  readonly sign: 1 | -1;
  /** 0 to 1. */
  readonly strength: number;
  readonly isResolutionSource: boolean;
  /** Whether its page only mentions the outcome in passing. */
  readonly isAside: boolean;
  /** When it was published or took place, Unix ms. */
  readonly date: number | undefined;
  readonly statements: readonly Statement[];
}

/**
 * The independent voices, with lower weights for outdated voices and for those that the resolution source overrules.
 */
export function voicesOf(plan: Plan, sources: readonly Source[], statements: readonly Statement[]): Voice[] {
  const stories = storiesOf(sources);
  const said = new Map<number, Statement[]>();
  for (const statement of statements) {
    const story = stories[statement.source] ?? statement.source;
    said.set(story, [...(said.get(story) ?? []), statement]);
  }
  const voices = [...said].flatMap(([story, own]) => {
    const members = stories.flatMap((first, index) => (first === story ? [index] : []));
    const reported = own.filter(({ isAside }) => isAside !== true);
    const isReported = reported.some(({ supports }) => supports !== "NEUTRAL");
    return voiceOf(plan, isReported ? reported : own, { sources, members, isAside: !isReported }) ?? [];
  });
  return overruled(aged(plan, supported(oncePerOrigin(plan, sources, voices))));
}

function voiceOf(
  plan: Plan,
  statements: readonly Statement[],
  { sources, members, isAside }: { sources: readonly Source[]; members: readonly number[]; isAside: boolean },
): Voice | undefined {
  const yes = strongest(statements, "YES");
  const no = strongest(statements, "NO");
  const chosen =
    later(yes, no) ?? (difference(yes, no) < MIXED ? undefined : (yes?.strength ?? 0) > (no?.strength ?? 0) ? yes : no);
  if (chosen === undefined) return undefined;
  const other = chosen === yes ? no : yes;
  const published = members.map((index) => sources[index]?.published).filter((date) => date !== undefined);
  return {
    sources: members,
    sign: chosen.supports === "YES" ? 1 : -1,
    strength:
      chosen.strength *
      (other === undefined || other.strength < chosen.strength / 2 || later(yes, no) !== undefined ? 1 : 0.6),
    isResolutionSource: members.some(
      (index) => plan.resolutionSource !== undefined && isOf(plan.resolutionSource, sources[index]?.url ?? ""),
    ),
    isAside,
    date: published.length > 0 ? Math.max(...published) : chosen.date,
    statements: statements.filter((one) => one.supports === chosen.supports),
  };
}

function strongest(statements: readonly Statement[], supports: "YES" | "NO"): Statement | undefined {
  return statements.filter((one) => one.supports === supports).toSorted((a, b) => b.strength - a.strength)[0];
}

/** The statement with the later date, if both have a date. */
function later(a: Statement | undefined, b: Statement | undefined): Statement | undefined {
  if (a?.date === undefined || b?.date === undefined || a.date === b.date) return undefined;
  return a.date > b.date ? a : b;
}

function difference(a: Statement | undefined, b: Statement | undefined): number {
  return Math.abs((a?.strength ?? 0) - (b?.strength ?? 0));
}

/**
 * Voices with the same sentence, the same owner or the same cited origin are one voice, and the strongest of each side
 * speaks for it.
 */
function oncePerOrigin(plan: Plan, sources: readonly Source[], voices: readonly Voice[]): Voice[] {
  const seen = new Set<string>();
  return voices
    .toSorted((a, b) => Number(b.isResolutionSource) - Number(a.isResolutionSource) || b.strength - a.strength)
    .filter((voice) => {
      const quotes = voice.statements
        .filter((one) => one.quote.length >= 60)
        .map((one) => `"${one.quote.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ")}`);
      const pages = voice.sources.flatMap((index) => sources[index] ?? []);
      const said = voice.statements.map(({ quote }) => quote);
      const keys = [...quotes, ...pages.flatMap((page) => [ownerOf(page.url), ...originsOf(plan, page, said)])];
      const known = keys.some((key) => seen.has(`${voice.sign} ${key}`));
      for (const key of keys) seen.add(`${voice.sign} ${key}`);
      return !known || voice.isResolutionSource;
    });
}

/** A mention in passing counts only beside a report. */
function supported(voices: readonly Voice[]): Voice[] {
  const isReported = voices.some((one) => !one.isAside && decides(one));
  return voices.filter(({ isAside }) => !isAside || isReported);
}

/**
 * A report that the event happened outdates older pages that say that it did not. A later denial does not outdate a
 * report: it contradicts it.
 */
function aged({ negated }: Plan, voices: readonly Voice[]): Voice[] {
  const happened = negated ? -1 : 1;
  const newest = voices
    .filter((one) => one.date !== undefined && one.strength >= DECIDES)
    .toSorted((a, b) => (b.date ?? 0) - (a.date ?? 0))[0];
  if (newest?.date === undefined || newest.sign !== happened) return [...voices];
  const { date, sign } = newest;
  return voices.map((voice) => {
    if (voice.sign === sign) return voice;
    if (voice.date === undefined) return { ...voice, strength: voice.strength * UNDATED };
    return voice.date <= date - DAY ? { ...voice, strength: voice.strength * OUTDATED } : voice;
  });
}

function overruled(voices: readonly Voice[]): Voice[] {
  if (!voices.some((one) => one.isResolutionSource && one.strength >= DECIDES)) return [...voices];
  return voices.map((voice) => (voice.isResolutionSource ? voice : { ...voice, strength: voice.strength * OVERRULED }));
}

/** Whether a voice states the outcome, so that it contradicts the other side. */
export function speaks({ strength }: Voice): boolean {
  return strength >= DECIDES;
}

/** Whether a voice supports a verdict: it states the outcome, and no other words may turn its sense. */
export function decides(voice: Voice): boolean {
  return speaks(voice) && voice.statements.some(isExact);
}

/** Whether no other words of a statement can change what it states. */
export function isExact({ isLoose, isTurnable }: Statement): boolean {
  return isLoose !== true && isTurnable !== true;
}
