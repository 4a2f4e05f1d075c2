import { ModelError, type ModelErrorKind } from "./model-error.ts";
import { type ModelOptions } from "./model-options.ts";
import { tokensOf } from "./prompt.ts";
import { type AskModel, type ModelRequest, type ModelResponse } from "./protocols.ts";
import { type TokenBudget } from "./token-budget.ts";

/** Maximum number of tokens that a response may claim. Without a claim in these bounds, its bytes are counted. */
const MAX_CLAIMED_TOKENS = 10_000_000;
/** Failures for which no provider charges. After others, the request may have used all tokens that it was allowed. */
const FREE: ReadonlySet<ModelErrorKind> = new Set(["status", "redirects", "unreachable"]);

/** The cost of a model since the start of the service. */
export interface ModelUsage {
  calls: number;
  /** Calls without a response. */
  failures: number;
  input_tokens: number;
  output_tokens: number;
  /** The tokens of the call that used most. */
  largest_call: number;
}

export interface MeteredResponse extends ModelResponse {
  readonly tokens: number;
}

/** A model whose tokens are counted: before a call the most that it may use, and after it what it used. */
export class MeteredModel {
  readonly usage: ModelUsage = { calls: 0, failures: 0, input_tokens: 0, output_tokens: 0, largest_call: 0 };
  readonly #options: ModelOptions;
  readonly #budget: TokenBudget;
  #ask: Promise<AskModel> | undefined;

  constructor(options: ModelOptions, budget: TokenBudget) {
    this.#options = options;
    this.#budget = budget;
  }

  /** Rejects with a ModelError that has the cost. */
  async ask(request: ModelRequest, signal: AbortSignal): Promise<MeteredResponse> {
    const { prompt, maxOutputTokens } = request;
    const asked = tokensOf(prompt.system) + tokensOf(prompt.user);
    const reservation = this.#budget.reserve(asked + maxOutputTokens);
    this.usage.calls += 1;
    const settle = (input: number, output: number): number => {
      this.usage.input_tokens += input;
      this.usage.output_tokens += output;
      this.usage.largest_call = Math.max(this.usage.largest_call, input + output);
      reservation.settle(input + output);
      return input + output;
    };
    try {
      // Loaded when first needed: the libraries take 20 MB.
      this.#ask ??= import("./protocols.ts").then(({ createModel }) => createModel(this.#options));
      const response = await (await this.#ask)(request, signal);
      const { inputTokens, outputTokens, text } = response;
      return { ...response, tokens: settle(claimed(inputTokens) ?? asked, claimed(outputTokens) ?? tokensOf(text)) };
    } catch (error) {
      this.usage.failures += 1;
      const failure = modelError(error, signal);
      const tokens = FREE.has(failure.kind) ? settle(0, 0) : settle(asked, maxOutputTokens);
      throw failure.at({ calls: 1, tokens });
    }
  }
}

function claimed(tokens: number | undefined): number | undefined {
  const isPlausible = tokens !== undefined && Number.isSafeInteger(tokens) && tokens > 0;
  return isPlausible && tokens <= MAX_CLAIMED_TOKENS ? tokens : undefined;
}

/** The message of a library's error may contain the server's text, and its fields hold the request. */
function modelError(error: unknown, signal: AbortSignal): ModelError {
  if (signal.aborted) return new ModelError("timeout", "it did not respond in time");
  const own = [error, error instanceof Error ? error.cause : undefined].find((one) => one instanceof ModelError);
  if (own !== undefined) return own;
  const status: unknown = error instanceof Error ? Reflect.get(error, "statusCode") : undefined;
  if (typeof status === "number" && status >= 400) return new ModelError("status", `it responded with ${status}`);
  return new ModelError("unreadable", "its response does not fit its protocol");
}
