import { type Analysis, type Analyst, type Plan, type Source } from "../reading/analysis.ts";
import { ModelError } from "./model-error.ts";
import { type ModelOptions } from "./model-options.ts";
import { readOutput } from "./model-output.ts";
import { promptOf } from "./prompt.ts";
import { type AskModel } from "./protocols.ts";

/** Concurrent requests to the model. A further one fails, as if the model's server were busy. @internal */
export const MAX_MODEL_REQUESTS = 32;

/** An analyst that asks a language model. Fails with a ModelError. */
export class ModelAnalyst implements Analyst {
  readonly name = "language model";
  readonly #options: ModelOptions;
  #ask: Promise<AskModel> | undefined;
  #running = 0;

  constructor(options: ModelOptions) {
    this.#options = options;
  }

  async analyse(
    plan: Plan,
    sources: readonly Source[],
    { now, signal }: { readonly now: number; readonly signal: AbortSignal },
  ): Promise<Analysis> {
    const { maxInputTokens, timeoutMs } = this.#options;
    if (this.#running >= MAX_MODEL_REQUESTS) throw new ModelError("busy", "too many requests to it are under way");
    this.#running += 1;
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), timeoutMs);
    const either = AbortSignal.any([signal, limit.signal]);
    try {
      // Loaded when first needed: the libraries take 20 MB.
      this.#ask ??= import("./protocols.ts").then(({ createModel }) => createModel(this.#options));
      const ask = await this.#ask;
      const { text, finish } = await ask(promptOf(plan, sources, now, maxInputTokens), either);
      if (finish === "length") throw new ModelError("cut", "its response was cut at max_output_tokens");
      if (finish === "content-filter") throw new ModelError("refused", "it refused");
      return readOutput(text);
    } catch (error) {
      throw modelError(error, either);
    } finally {
      clearTimeout(timer);
      this.#running -= 1;
    }
  }
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
