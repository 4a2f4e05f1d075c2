import { type Analysis, type Plan, type Source, type Statement, type Verdict } from "../reading/analysis.ts";
import { type Balance } from "./balance.ts";
import { decides, type Voice } from "./voices.ts";

/** Maximum number of characters of an analyst's own reasons in the response. */
const MAX_OWN = 1_000;

interface Told {
  readonly plan: Plan;
  readonly sources: readonly Source[];
  readonly now: number;
  readonly verdict: Verdict;
  /** In the order of the evidence. */
  readonly statements: readonly Statement[];
  readonly balance: Balance;
  readonly analysis: Analysis;
}

/** Explains the verdict in plain sentences, with the numbers of the evidence from 1. */
export function whyOf(told: Told): string {
  const { sources, statements, analysis, balance, verdict } = told;
  const sentences: string[] = [];
  if (sources.length === 0) sentences.push("No source was read.");
  else if (statements.length === 0)
    sentences.push(`None of the ${count(sources.length, "source")} bears on the question.`);
  else sentences.push(...sidesOf(told));
  sentences.push(...deadlineOf(told), ...leftOutOf(told));
  if (balance.contradicted) sentences.push("The sources contradict each other, so the question stays open.");
  const own = analysis.reasoning?.replace(/\s+/gu, " ").trim().slice(0, MAX_OWN) ?? "";
  if (own !== "") sentences.push(`The analyst's reasons: ${own}`);
  sentences.push(`Verdict: ${verdict}.`);
  return sentences.join(" ");
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** The numbers of statements in the evidence, as "[1, 3]". Empty if the evidence contains no such statement. */
function statementNumbers(statements: readonly Statement[], wanted: readonly Statement[]): string {
  const found = statements.flatMap((one, index) => (wanted.includes(one) ? [index + 1] : []));
  return found.length === 0 ? "" : ` [${found.join(", ")}]`;
}

function sidesOf({ plan, statements, balance, verdict }: Told): string[] {
  const deciding = balance.voices.filter(decides);
  const sentences: string[] = [];
  const resolver = deciding.find((one) => one.isResolutionSource);
  if (resolver !== undefined) {
    sentences.push(
      `The resolution source, ${plan.resolutionSource?.name ?? ""}, says ${resolver.sign === 1 ? "YES" : "NO"}${statementNumbers(statements, resolver.statements)}; it counts above all others.`,
    );
  }
  for (const sign of [1, -1] as const) {
    const voices = deciding.filter((one) => one.sign === sign && one !== resolver);
    if (voices.length > 0) sentences.push(sideOf(sign, voices, statements));
  }
  if (deciding.length === 0) {
    sentences.push(`No source states the outcome${balance.voices.length === 0 ? "" : " in words that decide it"}.`);
  }
  if (deciding.length === 0 && verdict !== "UNCERTAIN") {
    sentences.push(
      `The other statements of the sources${statementNumbers(statements, statements)} speak ${verdict === "LIKELY_NO" ? "against" : "for"} it.`,
    );
  }
  for (const sign of [1, -1] as const) {
    const weak = balance.voices.filter((one) => one.sign === sign && !decides(one));
    if (weak.length > 0) sentences.push(weakSideOf(sign, weak, statements));
  }
  return sentences;
}

function sideOf(sign: 1 | -1, voices: readonly Voice[], statements: readonly Statement[]): string {
  const copies = voices.reduce((sum, voice) => sum + voice.sources.length - 1, 0);
  const once = copies === 0 ? "" : `; ${count(copies, "page")} with the same story counted once`;
  const verb = voices.length === 1 ? "says" : "say";
  return `${count(voices.length, "independent source")} ${verb} ${sign === 1 ? "YES" : "NO"}${statementNumbers(
    statements,
    voices.flatMap((one) => one.statements),
  )}${once}.`;
}

function weakSideOf(sign: 1 | -1, voices: readonly Voice[], statements: readonly Statement[]): string {
  const numbers = statementNumbers(
    statements,
    voices.flatMap((one) => one.statements),
  );
  const [verb, counts] = voices.length === 1 ? ["suggests", "it counts"] : ["suggest", "they count"];
  return `${count(voices.length, "source")} ${verb} ${sign > 0 ? "YES" : "NO"}${numbers}; ${counts} for less, being indirect, older, or overruled.`;
}

function deadlineOf({ plan, now, balance }: Told): string[] {
  if (plan.deadline === undefined) return [];
  const { ambiguity } = plan;
  if (ambiguity !== undefined) {
    return [
      `The question's date ${ambiguity.text} is ambiguous: it can be ${dayOf(ambiguity.earliest)} or ${dayOf(plan.deadline)}. An event between the two dates decides nothing.`,
    ];
  }
  const shown = `${new Date(plan.deadline).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  if (now > plan.deadline) return [`The deadline, ${shown}, has passed.`];
  const silent = !balance.voices.some((one) => decides(one) && one.sign === 1);
  return [
    `The deadline, ${shown}, has not passed${silent ? ", so the absence of the event so far does not mean NO" : ""}.`,
  ];
}

function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

function leftOutOf({ statements }: Told): string[] {
  const named: readonly (readonly [Statement["kind"], string])[] = [
    ["announcement", "Announcements are not reports"],
    ["hedged", "Hedged sentences decide nothing"],
    ["question", "Questions state nothing"],
    ["satire", "Fiction, satire, games, bets, comments and text to the reader state nothing"],
    ["retraction", "A source takes back or corrects what it said"],
  ];
  const open = statements.filter((one) => one.isDateOpen === true);
  return [
    ...named.map(([kind, text]): readonly [string, readonly Statement[]] => [
      text,
      statements.filter((one) => one.kind === kind && (one.supports === "NEUTRAL" || kind === "retraction")),
    ]),
    ["A date does not show whether the event was in time", open] as const,
  ].flatMap(([text, found]) => {
    const shown = statementNumbers(statements, found);
    return shown === "" ? [] : [`${text}${shown}.`];
  });
}
