import type * as z from "zod";
import { type ModelOptions } from "../../content/resolve/model/model-options.ts";
import { contentResolve } from "../../gateway/config/schema/content-resolve.ts";
import { parseJsonOption } from "./json-option.ts";
import { StartError } from "../common/start-error.ts";

/** Turns the JSON of `content.resolve` into options; the key is from the environment. Throws StartError. */
export function parseResolveOptions(json: string): { readonly model: ModelOptions | undefined } {
  const { model } = parseJsonOption("--resolve", json, contentResolve);
  return { model: model === undefined ? undefined : modelOptions(model) };
}

function modelOptions(model: NonNullable<z.output<typeof contentResolve>["model"]>): ModelOptions {
  const key = model.key_env === "" ? "" : (process.env[model.key_env] ?? "").trim();
  if (model.key_env !== "" && !/^[\x21-\x7e]+$/.test(key)) {
    throw new StartError(
      `Cannot use the language model: the environment variable ${model.key_env} (content.resolve.model.key_env) is not set, or is not a key`,
    );
  }
  return {
    protocol: model.protocol,
    baseUrl: model.base_url,
    model: model.model,
    key,
    responseFormat: model.response_format,
    tokensField: model.tokens_field,
    maxInputTokens: model.max_input_tokens,
    maxOutputTokens: model.max_output_tokens,
    maxTokensPerQuestion: model.max_tokens_per_question,
    maxTokensPerDay: model.max_tokens_per_day,
    timeoutMs: model.timeout_ms,
    fallback: model.fallback,
  };
}
