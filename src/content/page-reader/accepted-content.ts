import { LoadStatusError } from "../page/page-errors.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import {
  type Extraction,
  type ExtractionOutcome,
  type ExtractionTask,
  type NotContent,
} from "../extraction/tree/extraction.ts";
import { type PageRequest, type PageSource } from "../page/page.ts";

/** Tasks whose result is the page's words. They fail for a page that has only pictures or fields. */
export const WORDED: ReadonlySet<ExtractionTask["kind"]> = new Set(["markdown", "text", "article"]);

/** True if the task's result is words, and the page has no words. */
export function isNothing({ content }: Extraction, { kind }: ExtractionTask): boolean {
  return WORDED.has(kind) && content.trim() === "";
}

/** A task for a page that was loaded for a request. */
interface Asked {
  readonly task: ExtractionTask;
  readonly source: PageSource;
  readonly request: PageRequest;
}

/** The content of a page that the request accepts. Throws a TurnpikeError with the reason if there is no content. */
export function acceptedContent(outcome: ExtractionOutcome, { task, source, request }: Asked): Extraction {
  assertAccepted(outcome, source, request);
  const extraction = contentOf(outcome);
  if (isNothing(extraction, task)) throw notContentError("empty", "it has no text");
  return extraction;
}

/**
 * Throws if the page cannot be accepted. A challenge usually comes with an error status, and explains more than the
 * status does, so it is reported first.
 */
export function assertAccepted(outcome: ExtractionOutcome, source: PageSource, request: PageRequest): void {
  const isChallenge = outcome.outcome === "not-content" && outcome.reason === "challenge";
  if (!isChallenge) assertStatus(source, request);
}

/** Throws a LoadStatusError if the request does not accept the status: 400 and above, unless it says otherwise. */
export function assertStatus({ statusCode = 0, headers }: PageSource, { accepts = isNoError }: PageRequest): void {
  if (!accepts(statusCode)) throw new LoadStatusError(statusCode, headers);
}

function isNoError(status: number): boolean {
  return status < 400;
}

const NOT_CONTENT_ERRORS = {
  challenge: "page-challenge",
  "consent-wall": "page-consent-wall",
  empty: "page-empty",
  "unsupported-type": "page-type-unsupported",
  unreadable: "page-failed",
} as const;

/** The error for a page that has no content. */
export function notContentError(reason: NotContent, detail: string): TurnpikeError {
  return new TurnpikeError(NOT_CONTENT_ERRORS[reason], `Cannot read the page: ${detail}`);
}

/** The content of the outcome. Throws a TurnpikeError with the reason if there is no content. */
export function contentOf(outcome: ExtractionOutcome): Extraction {
  if (outcome.outcome === "content") return outcome.extraction;
  if (outcome.outcome === "not-content") throw notContentError(outcome.reason, outcome.detail);
  if (outcome.outcome === "bad-selectors") {
    const errors = outcome.names.map((name) => ({ path: `selectors.${name}`, message: "is not a CSS selector" }));
    throw new TurnpikeError(
      "invalid-parameters",
      `Cannot use the selectors: '${outcome.names[0] ?? ""}' is not a valid selector`,
      errors,
    );
  }
  const detail = `Cannot read the page without a browser (${outcome.sign})`;
  throw new TurnpikeError("invalid-parameters", detail, [{ path: "engine", message: "must be auto or browser here" }]);
}
