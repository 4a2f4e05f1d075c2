import { z } from "zod";
import { type Analysis, type Statement } from "../reading/analysis.ts";
import { jsonObjectsIn, schemaFor, withoutThoughts } from "./json-objects.ts";
import { ModelError } from "./model-error.ts";

/**
 * Maximum number of statements of one response, and characters of a quote and of the reasons. A longer response does
 * not follow the schema and is rejected.
 */
const MAX_STATEMENTS = 60;
const MAX_QUOTE_LENGTH = 2_000;
const MAX_REASONING_LENGTH = 2_000;

const SUPPORTS = ["YES", "NO", "NEUTRAL"] as const;
const KINDS = [
  "report",
  "announcement",
  "hedged",
  "denial",
  "question",
  "quotation",
  "fact-check",
  "satire",
  "retraction",
] as const;

const share = z.number().min(0).max(1);

const statement = z.object({
  source: z.int().describe("The number of the source"),
  quote: z.string().max(MAX_QUOTE_LENGTH).describe("A sentence of that source's text, copied word for word"),
  supports: z.enum(SUPPORTS),
  kind: z.enum(KINDS),
  strength: share.describe("How firmly it decides the question by itself, 0 to 1"),
  date: z.string().describe("When it took place, as YYYY-MM-DD; empty if the source does not say"),
});

const response = z.object({
  statements: z.array(statement),
  probability: share.describe("The probability of YES, 0 to 1"),
  reasoning: z.string().describe("Why, in two to five sentences"),
});

/** The schema of the response, as the model receives it. */
export const OUTPUT_SCHEMA = schemaFor(response);

const output = response.extend({
  statements: z.array(statement.extend({ date: z.string().max(40).nullish() })).max(MAX_STATEMENTS),
});

/**
 * Reads the model's analysis, which numbers sources from 1. Of several JSON objects, the last that fits the schema
 * counts. Fails with a ModelError if no object fits.
 */
export function readOutput(text: string): Analysis {
  let failure: ModelError | undefined;
  for (const part of withoutThoughts(text)) {
    for (const value of jsonObjectsIn(part, "statements").toReversed()) {
      const result = output.safeParse(value);
      if (result.success) return analysisOf(result.data);
      failure ??= schemaError(result.error);
    }
  }
  throw failure ?? new ModelError("unreadable", "its response is not JSON");
}

function schemaError({ issues }: z.ZodError): ModelError {
  const path = issues[0]?.path.filter((part) => part !== "").join(".") ?? "";
  return new ModelError(
    "unreadable",
    `its response does not fit the schema${path === "" ? "" : ` at ${cutPath(path)}`}`,
  );
}

function analysisOf({ statements, probability, reasoning }: z.output<typeof output>): Analysis {
  return {
    statements: statements.map(statementOf),
    probability,
    reasoning: reasoning.trim().slice(0, MAX_REASONING_LENGTH).toWellFormed(),
  };
}

/** Only paths of the schema's own fields, which are short, get here. */
function cutPath(path: string): string {
  return path.slice(0, 60);
}

type Given = z.output<typeof output>["statements"][number];

function statementOf({ source, date, ...rest }: Given): Statement {
  const at = /^\d{4}-\d{2}-\d{2}/.test(date ?? "") ? Date.parse(date ?? "") : Number.NaN;
  return { ...rest, source: source - 1, ...(Number.isNaN(at) ? {} : { date: at }) };
}
