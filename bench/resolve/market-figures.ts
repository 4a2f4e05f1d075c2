import { type Judgement } from "../../src/content/resolve/reading/analysis.ts";
import { type MarketQuestion } from "./market.ts";
import { type MarketWeb } from "./market-web.ts";

const TIME_MS = 60_000;
const MAX_SOURCES = 8;

/** A question that was asked, and its result. */
export interface Answered {
  readonly question: MarketQuestion;
  readonly judgement: Judgement;
  readonly sourcesRead: number;
}

/** Asks one question after the other, each at its own time. */
export async function answer(questions: readonly MarketQuestion[], web: MarketWeb): Promise<Answered[]> {
  const answered: Answered[] = [];
  for (const question of questions) {
    const resolver = web.show(question);
    const { signal } = new AbortController();
    const { judgement, sources } = await resolver.resolve(
      {
        question: question.question,
        criteria: question.criteria ?? "",
        maxSources: MAX_SOURCES,
        hints: [],
        timeoutMs: TIME_MS,
      },
      signal,
    );
    answered.push({ question, judgement, sourcesRead: sources.length });
  }
  return answered;
}

/** The outcome of a question: a firm or likely verdict that is right or wrong, or none. */
export type Grade = "firm right" | "firm wrong" | "likely right" | "likely wrong" | "uncertain";

/** Grades a verdict by that of a careful human. */
export function gradeOf({ question, judgement: { verdict } }: Answered): Grade {
  if (verdict === "UNCERTAIN") return "uncertain";
  if (verdict === "YES" || verdict === "NO") return verdict === question.verdict ? "firm right" : "firm wrong";
  const side = verdict === "LIKELY_YES" ? "YES" : "NO";
  return side === question.verdict || side === question.lean ? "likely right" : "likely wrong";
}

const WIDTH = 24;

/** The heading of the lines of `tally`. */
export const HEADING = `${"".padEnd(WIDTH)}    n | firm right wrong | likely right wrong | uncertain | firm of those due`;

/** One line: the grades of a group of questions, and the share of right firm verdicts where a firm one is due. */
export function tally(name: string, answered: readonly Answered[]): string {
  const grades = answered.map(gradeOf);
  const count = (grade: Grade): string => String(grades.filter((one) => one === grade).length);
  const due = answered.filter(({ question }) => question.kind === "plain" && question.firmDue);
  const firm = due.filter((one) => gradeOf(one) === "firm right").length;
  const share = due.length === 0 ? "-" : `${firm} of ${due.length} (${Math.round((100 * firm) / due.length)} %)`;
  return (
    `${name.padEnd(WIDTH)} ${String(answered.length).padStart(4)} | ${count("firm right").padStart(10)} ${count("firm wrong").padStart(5)} | ` +
    `${count("likely right").padStart(12)} ${count("likely wrong").padStart(5)} | ${count("uncertain").padStart(9)} | ${share}`
  );
}

/** The shares that a market agent needs: of the firm and the likely verdicts, how many are right. */
export function summary(answered: readonly Answered[]): string {
  const grades = answered.map(gradeOf);
  const share = (kind: "firm" | "likely"): string => {
    const right = grades.filter((grade) => grade === `${kind} right`).length;
    const all = right + grades.filter((grade) => grade === `${kind} wrong`).length;
    return `${right} of ${all}${all === 0 ? "" : ` (${Math.round((100 * right) / all)} %)`}`;
  };
  const plain = answered.filter(({ question }) => question.kind === "plain");
  const firm = plain.filter((one) => gradeOf(one).startsWith("firm")).length;
  return `right: ${share("firm")} firm, ${share("likely")} likely; firm: ${firm} of ${plain.length} plain questions`;
}
