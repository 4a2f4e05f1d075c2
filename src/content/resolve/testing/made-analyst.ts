import { patient } from "../../../lib/testing/patience.ts";
import { ModelAnalyst, type ModelServices } from "../model/model-analyst.ts";
import { type ModelOptions } from "../model/model-options.ts";

/** The key in the settings of a test's language model. */
export const MADE_KEY = "sk-made-0123456789";

/** The settings of a language model at `baseUrl`, with the defaults of the configuration. */
export function madeModelOptions(baseUrl: string, options: Partial<ModelOptions> = {}): ModelOptions {
  return {
    protocol: "openai",
    baseUrl,
    model: "made-model",
    key: MADE_KEY,
    responseFormat: "json_schema",
    tokensField: "max_tokens",
    maxInputTokens: 24_000,
    maxOutputTokens: 4_096,
    maxTokensPerQuestion: 64_000,
    maxTokensPerDay: 10_000_000,
    timeoutMs: patient(15_000),
    fallback: false,
    ...options,
  };
}

/** An analyst with the settings of a test. */
export function madeAnalyst(options: ModelOptions, services: Partial<ModelServices> = {}): ModelAnalyst {
  const defaults = { now: Date.now, clock: () => performance.now(), log: () => undefined };
  return new ModelAnalyst(options, { ...defaults, ...services });
}
