import { join } from "node:path";
import { type Analysis, type Plan, type Source } from "../reading/analysis.ts";
import { type ModelFigures } from "../../figures/model-figures.ts";
import { MeteredModel, type MeteredResponse } from "./metered-model.ts";
import { ModelError, type ModelCost } from "./model-error.ts";
import { ModelHealth } from "./model-health.ts";
import { type ModelOptions } from "./model-options.ts";
import { OUTPUT_SCHEMA, readOutput } from "./model-output.ts";
import { CHECK_PROMPT, type Prompt, promptOf } from "./prompt.ts";
import { type ModelRequest, type ModelResponse } from "./protocols.ts";
import { TokenBudget } from "./token-budget.ts";

/** Concurrent questions to the model. A further one fails, as if the model's server were busy. */
const MAX_MODEL_REQUESTS = 32;
/** Milliseconds in which a model must respond to a check. Questions that arrive meanwhile wait for it. @bound */
const CHECK_MS = 5_000;
/** Maximum number of tokens of the response to a check. */
const CHECK_TOKENS = 16;

export interface ModelServices {
  /** The folder of the token counts. Undefined: the counts end with the process. */
  readonly stateDir?: string | undefined;
  /** Unix ms. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  readonly log: (message: string) => void;
  /** Called at the start, and when a call has ended. Never throws. */
  readonly onModelUsed?: ((figures: ModelFigures) => void) | undefined;
}

export interface ModelAnalysis {
  readonly analysis: Analysis;
  readonly cost: ModelCost;
}

/** An analyst that asks a language model. Fails with a ModelError. */
export class ModelAnalyst {
  readonly #options: ModelOptions;
  readonly #budget: TokenBudget;
  readonly #model: MeteredModel;
  readonly #health: ModelHealth;
  readonly #onUsed: ModelServices["onModelUsed"];
  #running = 0;

  constructor(options: ModelOptions, { stateDir, now, clock, log, onModelUsed }: ModelServices) {
    this.#options = options;
    const path = stateDir === undefined ? undefined : join(stateDir, "model-tokens.sqlite");
    this.#budget = new TokenBudget({ path, maxPerDay: options.maxTokensPerDay, now, log });
    this.#model = new MeteredModel(options, this.#budget);
    this.#health = new ModelHealth({ check: () => this.#check(), onChecked: () => this.#used(), clock });
    this.#onUsed = onModelUsed;
    this.#used();
  }

  get figures(): ModelFigures {
    const { maxTokensPerDay, maxTokensPerQuestion } = this.#options;
    const { day, tokens } = this.#budget.today;
    return {
      ...this.#model.usage,
      day,
      tokens_of_day: tokens,
      max_tokens_per_day: maxTokensPerDay,
      max_tokens_per_question: maxTokensPerQuestion,
      is_stopped: this.#health.failure !== undefined,
    };
  }

  close(): void {
    this.#budget.close();
  }

  async analyse(
    plan: Plan,
    sources: readonly Source[],
    { now, signal }: { readonly now: number; readonly signal: AbortSignal },
  ): Promise<ModelAnalysis> {
    return await this.#admitted(signal, () => this.#analyse(promptOf(plan, sources, now, this.#options), signal));
  }

  /** Asks for something else than an analysis. Fails with a ModelError that has the cost. */
  async ask(request: ModelRequest, signal: AbortSignal): Promise<MeteredResponse> {
    return await this.#admitted(signal, () => this.#ask(request, signal));
  }

  async #admitted<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T> {
    if (this.#running >= MAX_MODEL_REQUESTS) throw new ModelError("busy", "too many requests to it are under way");
    this.#running += 1;
    try {
      await unlessAborted(this.#health.admit(), signal);
      return await ask();
    } finally {
      this.#running -= 1;
    }
  }

  async #ask(request: ModelRequest, signal: AbortSignal): Promise<MeteredResponse> {
    const { timeoutMs } = this.#options;
    const response = await this.#model.ask(request, limited(signal, timeoutMs)).catch((error: unknown) => {
      const isAsked = error instanceof ModelError && error.cost.calls > 0;
      if (isAsked) this.#health.failed();
      this.#used();
      throw error;
    });
    this.#health.responded();
    this.#used();
    return response;
  }

  async #analyse(prompt: Prompt, signal: AbortSignal): Promise<ModelAnalysis> {
    const { maxOutputTokens } = this.#options;
    const json = { name: "analysis", schema: OUTPUT_SCHEMA };
    const response = await this.#ask({ prompt, maxOutputTokens, json }, signal);
    const cost = { calls: 1, tokens: response.tokens };
    try {
      return { analysis: analysisIn(response), cost };
    } catch (error) {
      throw error instanceof ModelError ? error.at(cost) : error;
    }
  }

  #used(): void {
    this.#onUsed?.(this.figures);
  }

  async #check(): Promise<void> {
    const request = { prompt: CHECK_PROMPT, maxOutputTokens: CHECK_TOKENS };
    await this.#model.ask(request, AbortSignal.timeout(Math.min(CHECK_MS, this.#options.timeoutMs)));
  }
}

function analysisIn({ text, finish }: ModelResponse): Analysis {
  if (finish === "length") throw new ModelError("cut", "its response was cut at max_output_tokens");
  if (finish === "content-filter") throw new ModelError("refused", "it refused");
  return readOutput(text);
}

function limited(signal: AbortSignal, ms: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(ms)]);
}

async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(new ModelError("timeout", "it did not respond in time"));
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  try {
    await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
