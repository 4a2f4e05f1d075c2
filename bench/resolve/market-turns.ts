import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Asked, askedOf } from "../../src/content/resolve/embedded/question.ts";
import { planOf } from "../../src/content/resolve/evidence/plan.ts";
import { conceptsAt } from "../../src/content/resolve/reading/concepts.ts";
import { type Token, undatedTokensOf } from "../../src/content/resolve/reading/spans.ts";
import { type MarketSet, readQuestions, timeOf } from "./market.ts";
import { judgeSources, sourcesOf } from "./market-record.ts";

const texts = z.array(z.string());
const turnsSchema = z.strictObject({
  /** Texts with `{}` as the place of the sentence. */
  around: texts,
  /** Words before the predicate, instead of its auxiliary, and before the object and the subject. */
  verb: texts,
  auxiliary: texts,
  object: texts,
  subject: texts,
});
type Place = keyof z.infer<typeof turnsSchema>;

/** Firm and likely verdicts of questions whose sentences were turned. */
export interface Turned {
  readonly text: string;
  readonly questions: number;
  readonly firm: number;
  readonly likely: number;
}

/**
 * Turns each sentence that supports a firm verdict of the plain English questions, as `market/turns.json` says: all pages
 * of a question in one way. A verdict that stays on the side of the sentences is wrong.
 */
export async function judgeTurns(set: MarketSet): Promise<Turned[]> {
  const turns = turnsSchema.parse(JSON.parse(readFileSync(join(import.meta.dir, "market", "turns.json"), "utf8")));
  const rows = new Map<string, Turned>();
  for (const question of readQuestions(set)) {
    if (question.kind !== "plain" || question.language !== "en") continue;
    const sources = sourcesOf(question);
    const { judgement, statements } = await judgeSources(question, sources);
    const { verdict } = judgement;
    if (verdict !== "YES" && verdict !== "NO") continue;
    const quotes = statements.filter(({ supports, quote }) => supports === verdict && !quote.includes("\t"));
    const now = timeOf(question);
    const asked = askedOf(planOf(question.question, question.criteria ?? "", now), now);
    for (const [place, list] of Object.entries(turns) as [Place, string[]][]) {
      for (const text of list) {
        const changed = sources.map((source, index) => {
          const own = quotes.filter((one) => one.source === index);
          return {
            ...source,
            text: own.reduce((all, { quote }) => replaced(all, quote, turned(asked, quote, place, text)), source.text),
          };
        });
        if (changed.every((source, index) => source.text === sources[index]?.text)) continue;
        const after = (await judgeSources(question, changed)).judgement.verdict;
        const row = rows.get(text) ?? { text, questions: 0, firm: 0, likely: 0 };
        rows.set(text, {
          ...row,
          questions: row.questions + 1,
          firm: row.firm + Number(after === verdict),
          likely: row.likely + Number(after === `LIKELY_${verdict}`),
        });
      }
    }
  }
  return [...rows.values()];
}

/** A sentence that cannot be turned is removed, so that it supports nothing. */
function replaced(all: string, quote: string, turned_: string | undefined): string {
  return all.replace(quote, () => turned_ ?? "");
}

function turned(asked: Asked, sentence: string, place: Place, text: string): string | undefined {
  if (place === "around") {
    const bare = sentence.replace(/[.!]["”]?$/u, "");
    return text.replace("{}", () => (text.startsWith("{}") ? bare : lower(bare)));
  }
  const tokens = undatedTokensOf(sentence, []);
  const at = tokens.findIndex(
    ({ stem }, n) => stem === asked.predicate?.stem || !conceptsAt(tokens, n).isDisjointFrom(asked.outcomes),
  );
  if (place === "subject") {
    const first = /^(?:the|an?)$/u.test(tokens[0]?.text ?? "") ? tokens[1] : tokens[0];
    return asked.agent?.words.has(first?.stem ?? "") === true ? `${text} ${lower(sentence)}` : undefined;
  }
  const verb = tokens[at];
  if (verb === undefined) return undefined;
  if (place === "verb") return inserted(sentence, text, verb);
  if (place === "auxiliary") {
    const have = tokens[at - 1];
    return have !== undefined && /^(?:has|have|had)$/u.test(have.text)
      ? `${sentence.slice(0, have.start)}${text} ${sentence.slice(verb.start)}`
      : undefined;
  }
  const object = tokens.findIndex(({ stem }, n) => n > at && asked.patient?.words.has(stem) === true);
  const isArticle = object - 1 > at && /^(?:the|an?|its|his|her|their)$/u.test(tokens[object - 1]?.text ?? "");
  return inserted(sentence, text, tokens[isArticle ? object - 1 : object]);
}

function inserted(sentence: string, text: string, before: Token | undefined): string | undefined {
  return before === undefined ? undefined : `${sentence.slice(0, before.start)}${text} ${sentence.slice(before.start)}`;
}

function lower(sentence: string): string {
  return sentence.replace(/^(?:The|An?|After|On|In|At|It|He|She|They|Its|His|Her)\b/u, (word) => word.toLowerCase());
}
