import { type Judgement } from "../../src/content/resolve/reading/analysis.ts";
import { madeModelOptions } from "../../src/content/resolve/testing/made-analyst.ts";
import { type MadeModel, type ModelTask, startModelServer } from "../../src/content/resolve/testing/model-server.ts";
import { TurnpikeError } from "../../src/lib/errors.ts";
import { type Lie, type MarketQuestion, readLies } from "./market.ts";
import { answer } from "./market-figures.ts";
import { type MarketWeb, startMarketWeb } from "./market-web.ts";

/** A lie and its judgement. Undefined: the resolver rejected the response. */
export interface LieJudged {
  readonly question: MarketQuestion;
  readonly lie: Lie;
  readonly judgement: Judgement | undefined;
}

/** Asks each question once for each of its lies, which a language model's server on a loopback port tells. */
export async function judgeLies(): Promise<LieJudged[]> {
  const model = startModelServer();
  model.mode = "says";
  const web = startMarketWeb(madeModelOptions(model.url));
  try {
    const judged: LieJudged[] = [];
    for (const { question, lies } of readLies()) {
      for (const lie of lies) judged.push({ question, lie, judgement: await tell(lie, question, { model, web }) });
    }
    return judged;
  } finally {
    await web.close();
    await model.close();
  }
}

interface Stage {
  readonly model: MadeModel;
  readonly web: MarketWeb;
}

async function tell(lie: Lie, question: MarketQuestion, { model, web }: Stage): Promise<Judgement | undefined> {
  model.answer = (task) => `${lie.before}${JSON.stringify(outputOf(lie, question, task))}${lie.after}`;
  try {
    return (await answer([question], web))[0]?.judgement;
  } catch (error) {
    if (error instanceof TurnpikeError && error.code === "model-failed") return undefined;
    throw error;
  }
}

function outputOf({ quotes, probability, reasons }: Lie, { pages }: MarketQuestion, { sources }: ModelTask): unknown {
  const numberOf = (page: number): number | undefined =>
    sources.find(({ url }) => new URL(url).hostname === new URL(pages[page]?.url ?? "").hostname)?.source;
  const statements = quotes.map(({ page, text, supports }) => ({
    source: numberOf(page),
    quote: text,
    supports,
    kind: "report",
    strength: 0.95,
    date: "",
  }));
  return { statements, probability, reasoning: reasons };
}
