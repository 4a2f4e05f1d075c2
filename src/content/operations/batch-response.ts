import { object, type Output, string } from "../../lib/schema.ts";
import { type DeepReadonly } from "../../lib/deep-readonly.ts";
import { problemType, TurnpikeError } from "../../lib/errors.ts";
import { actionsSchema } from "./action-parameters.ts";
import { failedMetadata, metadataSchema } from "./metadata.ts";
import { changesSchema } from "./page-changes.ts";
import { resultsSchema } from "./page-formats.ts";

/** Maximum number of results of a batch: one for each URL. */
export const MAX_RESULTS = 20;
/** Maximum number of bytes of one result. JSON needs at most six bytes for a character, and metadata are short. */
const MAX_RESULT_BYTES = 6 * 1_000_000 + 64 * 1024;
/**
 * Maximum number of bytes of one response: the maximum of results, each with the maximum of characters that a caller can request.
 */
const MAX_RESPONSE_BYTES = MAX_RESULTS * MAX_RESULT_BYTES;
/** Bytes of all batches that are built or sent at one time. @operator */
const MAX_BUFFERED_BYTES = 512 * 1024 * 1024;

/** Bytes of `MAX_BUFFERED_BYTES` that no batch holds. */
let freeBytes = MAX_BUFFERED_BYTES;

export const batchResult = object({
  url: string(),
  format: string(),
  content: string().describe("The page's content; empty with `formats`, or if this page failed"),
  results: resultsSchema.optional(),
  actions: actionsSchema,
  metadata: metadataSchema,
  error: string().optional().describe("Reason of the failure; only if this page failed"),
  error_type: string().optional().describe("The problem type of the error"),
  changes: changesSchema,
}).openapi("BatchResult", { description: "The content of one page, or the error instead of it" });

export type BatchResult = DeepReadonly<Output<typeof batchResult>>;

/** The members of a failed result. `elapsedMs` is a whole number. */
export function failed(error: TurnpikeError, elapsedMs: number): Omit<BatchResult, "url" | "format"> {
  const metadata = failedMetadata(elapsedMs, error.members.page_status);
  return { content: "", metadata, error: error.message, error_type: problemType(error.code) };
}

/** The response of a batch. Each result is converted to JSON when it arrives, so that its text is not kept as well. */
export class BatchResponse {
  readonly #results: Uint8Array[];
  #heldBytes = 0;
  #isOver = false;
  #succeeded = 0;

  constructor(count: number) {
    this.#results = Array.from({ length: count }, () => new Uint8Array());
  }

  get succeeded(): number {
    return this.#succeeded;
  }

  /** Adds the result of the URL at index `place`. A result that does not fit becomes an error. */
  put(place: number, result: BatchResult): void {
    const bytes = encode(result);
    const room = result.error === undefined ? this.#take(bytes.length) : "error";
    if (room === "taken") this.#succeeded += 1;
    this.#results[place] = room === "taken" || room === "error" ? bytes : encode(refused(result, room));
  }

  parts(totalTimeMs: number): Uint8Array[] {
    const between = this.#results.flatMap((result, at) => (at === 0 ? [result] : [COMMA, result]));
    return [text('{"results":['), ...between, text(`],"total_time_ms":${totalTimeMs}}`)];
  }

  /** Returns its part of the budget. Called when the response was sent or the client has gone. */
  release(): void {
    this.#isOver = true;
    freeBytes += this.#heldBytes;
    this.#heldBytes = 0;
  }

  /** `full`: the response would exceed its own limit. `busy`: all batches together would, or this one is over. */
  #take(bytes: number): "taken" | "full" | "busy" {
    if (!this.#isOver && this.#heldBytes + bytes > MAX_RESPONSE_BYTES) return "full";
    if (this.#isOver || bytes > freeBytes) return "busy";
    this.#heldBytes += bytes;
    freeBytes -= bytes;
    return "taken";
  }
}

function refused({ url, format, metadata }: BatchResult, room: "full" | "busy"): BatchResult {
  const error =
    room === "full"
      ? new TurnpikeError("page-failed", "Cannot send the page: the batch is full; ask for less by max_length")
      : new TurnpikeError("overloaded", "Cannot send the page: too many responses are being sent; try again");
  const { content_length: _, ...known } = metadata;
  return { url, format, ...failed(error, 0), metadata: { ...known, content_length: 0 } };
}

const COMMA = text(",");

function encode(result: BatchResult): Uint8Array {
  return text(JSON.stringify(result));
}

function text(json: string): Uint8Array {
  return new TextEncoder().encode(json);
}
