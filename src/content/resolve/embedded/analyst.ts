import { type Analyst, type Plan, type Source, type Statement } from "../reading/analysis.ts";
import { type Passage, passagesOf } from "../evidence/passages.ts";
import { firstNumberOf } from "../reading/date-order.ts";
import { languageOf } from "../reading/words.ts";
import { storiesOf } from "../evidence/stories.ts";
import { speaksToReader } from "./injection.ts";
import { isQuestion, isRetraction, isWithdrawal } from "./kinds.ts";
import { leanOf } from "./lean.ts";
import { askedOf, type Asked } from "./question.ts";
import { type ReadSource, type Signs, signsOf } from "./signs.ts";
import { statementOf } from "./stance.ts";

/** Maximum number of statements of one source in the result. The strongest are kept. */
const MAX_STATEMENTS = 8;
/** Sentences of a source without statements that are passed on, and their minimum share of the question's words. */
const MAX_NEAR = 2;
const NEAR = 0.3;
/** Characters of the shortest quote that can be checked. */
const MIN_QUOTE = 8;

/**
 * Reads sources by rules and a few fitted parameters. The result is the same for the same sources, and needs no
 * network. `maxStatements` limits the statements of each source.
 */
export function createEmbeddedAnalyst(maxStatements = MAX_STATEMENTS): Analyst {
  return {
    name: "embedded",
    analyse: async (plan, sources, { now, signal }) => {
      const asked = askedOf(plan, now);
      const read: ReadSource[] = [];
      const statements: Statement[] = [];
      for (const [index, source] of sources.entries()) {
        signal.throwIfAborted();
        const one = readSource(plan, source);
        read.push(one);
        statements.push(...statementsOf(asked, one, index).slice(0, maxStatements));
        // A source can have a megabyte of text. Other tasks run between two sources.
        await new Promise((resolve) => setImmediate(resolve));
      }
      const unread = read.filter(({ language }) => language === undefined).length;
      return {
        statements,
        probability: leanOf(signsOfStories(asked, sources, read)),
        reasoning: unreadOf(asked.language === undefined, unread),
      };
    },
  };
}

/** Reports the texts in languages that the analyst does not read. */
function unreadOf(isQuestionUnread: boolean, sources: number): string | undefined {
  if (isQuestionUnread) return "the question is in a language that the embedded analyst does not read.";
  if (sources === 0) return undefined;
  return `${sources} source${sources === 1 ? " is" : "s are"} in a language that the embedded analyst does not read.`;
}

function readSource(plan: Plan, source: Source): ReadSource {
  const passages = passagesOf(plan, source, speaksToReader);
  return { source, language: languageOf(source.text, source.language === "" ? undefined : source.language), passages };
}

function statementsOf(asked: Asked, { source, language, passages }: ReadSource, index: number): Statement[] {
  const order = firstNumberOf(source.text, source.language === "" ? language : source.language);
  const found: Statement[] = [];
  for (const passage of passages) {
    const own = language === undefined ? undefined : languageOf(passage.text, language);
    const read = statementOf(asked, passage, { source, index, language: own, order });
    if (read === undefined) continue;
    const statement = passage.isAside ? { ...read, isAside: true } : read;
    if (passage.isUnreal) found.push({ ...statement, supports: "NEUTRAL", kind: "satire" });
    else if (isRetraction(passage.text)) found.push({ ...statement, kind: "retraction" });
    else found.push(statement);
  }
  if (found.length === 0) found.push(...around(passages, source, index));
  return settled(
    found,
    passages.some(({ text }) => isWithdrawal(text)),
  ).toSorted((a, b) => b.strength - a.strength);
}

/** The sentences nearest to the question, for a page without statements. The lean rests on them. */
function around(passages: readonly Passage[], { isHint }: Source, index: number): Statement[] {
  return passages
    .filter((passage) => (isHint || passage.context >= NEAR) && passage.text.length >= MIN_QUOTE)
    .toSorted((a, b) => b.context + b.coverage - a.context - a.coverage)
    .slice(0, MAX_NEAR)
    .map(({ text, context }) => ({
      source: index,
      quote: text,
      supports: "NEUTRAL",
      kind: isQuestion(text) ? "question" : "report",
      strength: context * 0.2,
    }));
}

/**
 * Applies a page's correction of itself: statements elsewhere on the page that contradict the correction become neutral.
 * If the page only withdraws its text, all its statements become neutral.
 */
function settled(statements: readonly Statement[], withdrawn: boolean): Statement[] {
  const correction = statements.find((one) => one.kind === "retraction" && one.supports !== "NEUTRAL");
  if (correction === undefined) {
    return statements.map((one) => (withdrawn ? { ...one, supports: "NEUTRAL", kind: "retraction" } : one));
  }
  return statements.map((one) => (one.supports === correction.supports ? one : { ...one, supports: "NEUTRAL" }));
}

/** The signs of sources, one source per story. The parameters of lean.ts weigh them. */
export function signsIn(plan: Plan, sources: readonly Source[], now: number): Signs {
  return signsOfStories(
    askedOf(plan, now),
    sources,
    sources.map((source) => readSource(plan, source)),
  );
}

function signsOfStories(asked: Asked, sources: readonly Source[], read: readonly ReadSource[]): Signs {
  const stories = storiesOf(sources);
  return signsOf(
    asked,
    read.filter((_, index) => stories[index] === index),
  );
}
