import { describe, expect, test } from "bun:test";
import { type MarketPage, type MarketQuestion, readQuestions } from "../../../../bench/resolve/market.ts";
import { gradeOf } from "../../../../bench/resolve/market-figures.ts";
import { type Judgement, type Source } from "../reading/analysis.ts";
import { planOf } from "../evidence/plan.ts";
import { weigh } from "../evidence/weigh.ts";
import { createEmbeddedAnalyst } from "./analyst.ts";
import { FIRM, LIKELY, WRONG } from "../testing/market-grades.ts";

/** A table or list of the page as the reader gives it: a paragraph for each row, with tabs between its cells. */
function paragraph(text: string): string {
  const lines = text.split("\n");
  if (text.startsWith("* ")) return lines.map((line) => line.slice(2)).join("\n\n");
  if (!text.startsWith("| ")) return text;
  return lines.map((line) => line.slice(2, -2).split(" | ").join("\t")).join("\n\n");
}

function sourceOf({ url, title, body, published }: MarketPage, language: string): Source {
  const at = published === undefined ? undefined : Date.parse(published);
  return { url, title, text: body.map(paragraph).join("\n\n"), published: at, language, isHint: false };
}

const analyst = createEmbeddedAnalyst();

async function judged({ question, criteria = "", now, pages, language }: MarketQuestion): Promise<Judgement> {
  const at = Date.parse(`${now}T12:00:00Z`);
  const plan = planOf(question, criteria, at);
  const sources = pages.map((page) => sourceOf(page, language));
  const analysis = await analyst.analyse(plan, sources, { now: at, signal: AbortSignal.timeout(60_000) });
  return weigh(plan, sources, analysis, at);
}

/** From a wrong firm verdict to a right firm verdict. */
const GRADES = ["firm wrong", "likely wrong", "uncertain", "likely right", "firm right"];

/** The grade that a question has had; a change of the analyst must not lower it. */
function known({ id }: MarketQuestion): string {
  if (FIRM.has(id)) return "firm right";
  if (LIKELY.has(id)) return "likely right";
  return WRONG.has(id) ? "likely wrong" : "uncertain";
}

describe("the verdict on a market question is at least as good as before", () => {
  for (const set of ["development", "news"] as const) {
    test.each(readQuestions(set).map((question) => [question.id, question] as const))(
      `${set}: %s`,
      async (_, question) => {
        const judgement = await judged(question);
        const grade = gradeOf({ question, judgement, sourcesRead: question.pages.length });
        expect(GRADES.slice(GRADES.indexOf(known(question)))).toContain(grade);
      },
    );
  }
});
