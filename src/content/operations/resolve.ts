import { array, int, number, object, oneOf, strictObject, string } from "../../lib/schema.ts";
import { TurnpikeError } from "../../lib/errors.ts";
import { type Source } from "../resolve/reading/analysis.ts";
import { type OperationResult, postOperation } from "./operation.ts";
import { pageUrl } from "./page-parameters.ts";
import { text, visibleText, whole } from "./text.ts";

/** Maximum number of characters of a question, and of the criteria. */
const MAX_QUESTION_LENGTH = 2_000;
const MAX_CRITERIA_LENGTH = 20_000;
/** Maximum number of sources that a caller may name. */
const MAX_HINTS = 3;

const body = strictObject({
  question: visibleText(MAX_QUESTION_LENGTH).openapi({
    description: "Prediction-market question",
    example: "Will the ferry sail before 1 June 2026?",
  }),
  criteria: text(MAX_CRITERIA_LENGTH).default("").openapi({
    description: "How the market resolves YES or NO",
    example: "YES if the operator reports a departure.",
  }),
  max_sources: whole(1, 8).default(5).describe("Maximum web sources to read"),
  sources: array(pageUrl)
    .max(MAX_HINTS)
    .default([])
    .openapi({
      description: "Hint URLs to check for evidence; read before all others, also if they are more than max_sources",
      example: ["https://example.com/news"],
    }),
  timeout: whole(1, 120).default(30).describe("Timeout in seconds; the response has the result so far"),
}).openapi("ResolveRequest");

const evidence = object({
  claim: string().describe("A statement of the source, word for word"),
  source: string().describe("Title of the source"),
  supports: oneOf(["YES", "NO", "NEUTRAL"]),
  url: string(),
}).openapi("Evidence", { description: "A statement of a source, and the outcome that it supports" });

const response = object({
  question: string(),
  probability: number().min(0).max(1).describe("Of YES; at least 0.01 and at most 0.99"),
  verdict: oneOf(["YES", "LIKELY_YES", "UNCERTAIN", "LIKELY_NO", "NO"]),
  confidence: oneOf(["high", "medium", "low"]),
  reasoning: string().describe(
    "The reasons, with the numbers of the evidence from 1, and the pages that could not be read",
  ),
  evidence: array(evidence),
  sources_consulted: array(object({ title: string(), url: string() })).describe(
    "The sources that were read; pages that repeat the text of another are not among them",
  ),
  metadata: object({
    elapsed_ms: int().describe("Time taken, in milliseconds"),
    searches: int().describe("Number of searches that got a response"),
    sources_read: int().describe("Sources that were read"),
    analyst: oneOf(["embedded", "language model"]).describe("Analyst that found the evidence"),
  }).openapi("ResolveMetadata", { description: "Facts about the work on a question" }),
}).openapi("ResolveResponse");

/** `POST /resolve`: the outcome of a prediction-market question, with quotes from its sources. */
export const resolve = postOperation(
  {
    name: "resolve",
    path: "/resolve",
    price: "$0.07",
    summary: "Find the outcome of a prediction-market question",
    description:
      "Searches the web, reads sources and returns the probability of YES, with a verdict and the statements that support it. " +
      "Quotes are copied from their sources word for word. The verdict is UNCERTAIN if the sources say nothing or contradict " +
      "each other, or if the deadline is still to come and nothing has happened yet. A page that cannot be read is named in " +
      "`reasoning`, and the other pages are used. When `timeout` is over, the response has the result so far. If no source was " +
      "read and no search provider responded, the response is an error and costs nothing.",
    body,
    example: {
      question: "Did the ferry sail before 1 June 2026?",
      criteria: "YES if the operator reports a departure.",
      max_sources: 3,
    },
    success: {
      description: "The probability, the verdict and the evidence",
      schema: response,
      example: {
        question: "Did the ferry sail before 1 June 2026?",
        probability: 0.93,
        verdict: "YES",
        confidence: "medium",
        reasoning: "Evidence 1 reports the outcome.",
        evidence: [
          {
            claim: "The ferry left the harbour at noon on 14 May 2026.",
            source: "Ferry sails again",
            supports: "YES",
            url: "https://example.com/ferry",
          },
        ],
        sources_consulted: [{ title: "Ferry sails again", url: "https://example.com/ferry" }],
        metadata: { elapsed_ms: 2140, searches: 3, sources_read: 1, analyst: "embedded" },
      },
    },
    failures: ["invalid-parameters", "address-refused", "resolve-failed", "model-failed", "overloaded"],
  },
  async (
    { question, criteria, max_sources, sources: hints, timeout },
    { resolver },
    { signal, elapsedMs },
  ): Promise<OperationResult> => {
    assertWeb(hints);
    const { judgement, sources, searches, analyst } = await resolver.resolve(
      { question, criteria, maxSources: max_sources, hints, timeoutMs: timeout * 1000 },
      signal,
    );
    const { probability, verdict, confidence, reasoning, evidence: statements } = judgement;
    const metadata = {
      elapsed_ms: elapsedMs(),
      searches,
      sources_read: sources.length,
      analyst,
    };
    return {
      json: {
        question,
        probability,
        verdict,
        confidence,
        reasoning,
        evidence: statements.map(({ claim, source, supports, url }) => ({ claim, source, supports, url })),
        sources_consulted: sources.map(consulted),
        metadata,
      },
    };
  },
);

/** Throws `address-refused` if a hint is neither http nor https. */
function assertWeb(hints: readonly string[]): void {
  const other = hints.map((hint) => new URL(hint).protocol).find((protocol) => !/^https?:$/.test(protocol));
  if (other === undefined) return;
  throw new TurnpikeError("address-refused", `Cannot load a source: only http and https are allowed, not ${other}`);
}

/** A page without a title is listed by its host. */
function consulted({ title, url }: Source): { title: string; url: string } {
  return { title: title === "" ? new URL(url).host : title, url };
}
