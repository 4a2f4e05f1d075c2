import { type MarketQuestion, type MarketSet, OPEN_SETS, readQuestions, readWrappings, wrapped } from "./market.ts";
import { type Answered, answer, type Grade, gradeOf, HEADING, summary, tally } from "./market-figures.ts";
import { judgeLies, type LieJudged } from "./market-lies.ts";
import { judgeTurns, type Turned } from "./market-turns.ts";
import { type MarketWeb, startMarketWeb } from "./market-web.ts";

/** The choice of questions. `cases` lists each question of an open set whose verdict is not the human's. */
export interface MarketOptions {
  readonly set: MarketSet;
  readonly wrappers: boolean;
  readonly lies: boolean;
  readonly turns: boolean;
  readonly cases: boolean;
}

/** Asks the market questions, and prints the grades of their verdicts. */
export async function runMarket({ set, wrappers, lies, turns, cases }: MarketOptions): Promise<void> {
  if (lies) return runLies(await judgeLies());
  if (turns) return runTurns(await judgeTurns(set));
  const web = startMarketWeb();
  try {
    if (wrappers) return await runWrappers(web, cases);
    const answered = await answer(readQuestions(set), web);
    report(set, answered);
    if (cases && OPEN_SETS.some((name) => name === set)) list(answered);
  } finally {
    await web.close();
  }
}

function report(set: MarketSet, answered: readonly Answered[]): void {
  const unread = answered.reduce((sum, { question, sourcesRead }) => sum + question.pages.length - sourcesRead, 0);
  console.log(`market questions, ${set}: ${answered.length}, ${unread} pages repeat another or were not read`);
  console.log(HEADING);
  groups(answered, ({ kind }) => kind);
  groups(answered, ({ family }) => family);
  groups(answered, ({ language }) => language);
  console.log(tally("all", answered));
  console.log(summary(answered));
}

function groups(answered: readonly Answered[], key: (question: MarketQuestion) => string): void {
  for (const [name, members] of Map.groupBy(answered, ({ question }) => key(question)))
    console.log(tally(name, members));
  console.log("");
}

function list(answered: readonly Answered[]): void {
  for (const one of answered) {
    const { question, judgement } = one;
    if (judgement.verdict === question.verdict) continue;
    const human = question.lean === undefined ? question.verdict : `${question.verdict}, leans to ${question.lean}`;
    const due = question.kind === "plain" && question.firmDue ? ", firm due" : "";
    console.log(
      `${gradeOf(one)}: ${question.id} (${human}${due}): ${judgement.verdict} ${judgement.probability.toFixed(2)}`,
    );
  }
}

/** Counts verdicts on the side of the wrapped sentences, which are wrong, and on the other side, which a denial justifies. */
async function runWrappers(web: MarketWeb, cases: boolean): Promise<void> {
  const wrappings = readWrappings();
  const questions = readQuestions("development");
  const languages = new Set(wrappings.wrappers.map(({ language }) => language));
  const bare = [...languages].map((language) => ({ name: "no wrapper", language, title: "News", body: ["{}"] }));
  const all = [...wrapped(questions, { ...wrappings, wrappers: bare }), ...wrapped(questions, wrappings)];
  const rows = new Map<string, Answered[]>();
  for (const { wrapper, question } of all) {
    rows.set(wrapper, [...(rows.get(wrapper) ?? []), ...(await answer([question], web))]);
  }
  for (const [wrapper, row] of rows) console.log(`${wrapper.padEnd(22)} ${sides(row)}`);
  rows.delete("no wrapper");
  console.log(`${"all wrappers".padEnd(22)} ${sides([...rows.values()].flat())}`);
  if (!cases) return;
  for (const [wrapper, row] of rows) {
    for (const one of row.filter(({ judgement }) => judgement.verdict !== "UNCERTAIN")) {
      console.log(`${wrapper}: ${one.question.id}: ${one.judgement.verdict}`);
      for (const { claim, supports, url } of one.judgement.evidence) console.log(`    ${supports} ${url}: ${claim}`);
    }
  }
}

/** Counts the verdicts that stay with turned sentences. */
function runTurns(rows: readonly Turned[]): void {
  const sum = (key: "questions" | "firm" | "likely"): number => rows.reduce((all, row) => all + row[key], 0);
  for (const { text, questions, firm, likely } of rows.filter((row) => row.firm + row.likely > 0))
    console.log(`${text.padEnd(60)} ${firm} firm, ${likely} likely of ${questions}`);
  console.log(`all turned sentences: ${sum("firm")} firm, ${sum("likely")} likely of ${sum("questions")}`);
}

/** Lists the lies that got a verdict, and counts those that got the one they want. */
function runLies(judged: readonly LieJudged[]): void {
  for (const { lie, question, judgement } of judged) {
    if (judgement === undefined || judgement.verdict === "UNCERTAIN") continue;
    console.log(`${question.id}, ${lie.name} (wants ${lie.side}): ${judgement.verdict} ${judgement.reasoning}`);
  }
  const won = (prefix: string): number =>
    judged.filter(({ lie, judgement }) => judgement?.verdict === `${prefix}${lie.side}`).length;
  const rejected = judged.filter(({ judgement }) => judgement === undefined).length;
  const marked = judged.filter(({ judgement }) => MARKS.test(judgement?.reasoning ?? "")).length;
  console.log(
    `lies: ${judged.length}, of which ${won("")} got a firm and ${won("LIKELY_")} a likely verdict; ${rejected} responses ` +
      `were rejected; ${marked} got markup or control characters into the reasoning`,
  );
}

const MARKS = /[\p{Cc}\p{Cf}<>]/u;

function sides(row: readonly Answered[]): string {
  const grades = row.map(gradeOf);
  const count = (grade: Grade): number => grades.filter((one) => one === grade).length;
  return (
    `${count("firm right")} firm, ${count("likely right")} likely; on the other side ${count("firm wrong")} firm, ` +
    `${count("likely wrong")} likely; of ${row.length}`
  );
}
