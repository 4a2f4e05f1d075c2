import {
  type Extraction,
  type ExtractionOutcome,
  type ExtractionTask,
  type ScriptAddress,
} from "../extraction/tree/extraction.ts";
import { type PageRequest } from "../page/page.ts";
import { type LearnedTemplates } from "./learned-templates.ts";

/** The engine for a page whose document was fetched. */
export type ChosenEngine =
  | { readonly engine: "static" }
  | {
      readonly engine: "browser";
      /** Whether the fetched document is the result if the browser fails. */
      readonly isOptional: boolean;
      /** Compares the browser's result with that of the fetched document. */
      readonly compare: (extraction: Extraction) => void;
    };

const STATIC: ChosenEngine = { engine: "static" };
const BROWSER: ChosenEngine = { engine: "browser", isOptional: false, compare: () => undefined };

/** A page whose fetched document was read with `engine: "auto"`. */
export interface Fetched {
  readonly request: PageRequest;
  readonly task: ExtractionTask;
  readonly outcome: ExtractionOutcome;
  /** Whether these external scripts change the content of the page. */
  readonly searchScripts: (scripts: readonly ScriptAddress[]) => Promise<boolean>;
}

/** Chooses an engine by the evidence in the document, and by the learned rules of its template. */
export async function chooseEngine(
  learned: LearnedTemplates,
  { request, task, outcome, searchScripts }: Fetched,
): Promise<ChosenEngine> {
  if (outcome.outcome === "needs-browser") return BROWSER;
  if (outcome.outcome !== "content" || outcome.evidence === undefined) return STATIC;
  const { extraction, evidence } = outcome;
  const { sign, scripts } = evidence;
  const hasEvidence = async (): Promise<boolean> => sign !== undefined || (await searchScripts(scripts));
  if (isPrivate(request)) return (await hasEvidence()) ? BROWSER : STATIC;
  // Another selector, or an earlier end of the visit, can hide a change.
  const template = [evidence.template, sign, request.waitUntil, JSON.stringify(task)].join(" ");
  const { changes, checks } = learned.visit(template, request.url.href);
  if (!checks && (changes === false || (changes === undefined && !(await hasEvidence())))) return STATIC;
  const isOptional = checks && (changes === false || (changes === undefined && sign === undefined));
  const compare = (shown: Extraction): void => learned.compared(template, request.url.href, isOther(extraction, shown));
  return { engine: "browser", isOptional, compare };
}

/** Pages of one user are not learned. */
function isPrivate({ url, userAgent, session, own }: PageRequest): boolean {
  return url.username !== "" || url.password !== "" || (userAgent ?? session ?? own) !== undefined;
}

/** Whether the words of two results differ. */
function isOther(a: Extraction, b: Extraction): boolean {
  const counts = new Map<string, number>();
  for (const word of wordsOf(a)) counts.set(word, (counts.get(word) ?? 0) + 1);
  for (const word of wordsOf(b)) counts.set(word, (counts.get(word) ?? 0) - 1);
  return counts.values().some((count) => count !== 0);
}

/** The pattern of tags takes linear time, also for text with many opening brackets. */
function wordsOf({ content, fields }: Extraction): readonly string[] {
  const text = `${content.replaceAll(/<[^<>]*>/g, " ")} ${fields === undefined ? "" : JSON.stringify(fields)}`;
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}
