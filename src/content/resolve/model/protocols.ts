import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type ModelFetch, modelFetch } from "./model-fetch.ts";
import { type ModelOptions } from "./model-options.ts";
import { type Prompt } from "./prompt.ts";

export interface ModelResponse {
  readonly text: string;
  /** The finish reason: `stop` is success, `length` means the token limit, `content-filter` a refusal. */
  readonly finish: string;
  /** The tokens that the server reports. */
  readonly inputTokens: number | undefined;
  readonly outputTokens: number | undefined;
}

export interface ModelRequest {
  readonly prompt: Prompt;
  readonly maxOutputTokens: number;
  /** The JSON object with which the model must respond. Undefined: any text. */
  readonly json?: { readonly name: string; readonly schema: object };
}

/** Sends one request to a model. Fails with the library's error. */
export type AskModel = (request: ModelRequest, signal: AbortSignal) => Promise<ModelResponse>;

/** A model of either protocol. Each call is one request, without retries. */
export function createModel(options: ModelOptions): AskModel {
  const model = options.protocol === "anthropic" ? anthropicModel(options) : openAiModel(options);
  const isPlain =
    options.responseFormat === "text" || (options.responseFormat === "json_object" && options.protocol === "anthropic");
  return async ({ prompt: { system, user }, maxOutputTokens, json }, signal) => {
    const asked = json && { type: "json" as const, name: json.name, ...schemaOf(options, json.schema) };
    const { content, finishReason, usage } = await model.doGenerate({
      prompt: [
        { role: "system", content: system },
        { role: "user", content: [{ type: "text", text: user }] },
      ],
      maxOutputTokens,
      ...(isPlain || asked === undefined ? {} : { responseFormat: asked }),
      abortSignal: signal,
    });
    const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
    const { inputTokens, outputTokens } = usage;
    return {
      text: texts.join(""),
      finish: finishReason.unified,
      inputTokens: inputTokens.total,
      outputTokens: outputTokens.total,
    };
  };
}

function schemaOf({ responseFormat }: ModelOptions, schema: object): { schema?: JsonSchema } {
  return responseFormat === "json_schema" ? { schema: structuredClone(schema) } : {};
}

type OpenAiModel = ReturnType<ReturnType<typeof createOpenAICompatible>["chatModel"]>;
type CallOptions = Parameters<OpenAiModel["doGenerate"]>[0];
type JsonSchema = NonNullable<Extract<CallOptions["responseFormat"], { type: "json" }>["schema"]>;

function openAiModel({
  baseUrl,
  key,
  model,
  responseFormat,
  tokensField,
}: ModelOptions): Pick<OpenAiModel, "doGenerate"> {
  const provider = createOpenAICompatible({
    name: "model",
    baseURL: baseUrl,
    ...(key === "" ? {} : { apiKey: key }),
    supportsStructuredOutputs: responseFormat === "json_schema",
    transformRequestBody: ({ max_tokens: tokens, ...body }) => ({ ...body, [tokensField]: tokens }),
    fetch: asFetch(modelFetch),
  });
  return provider.chatModel(model);
}

function anthropicModel({ baseUrl, key, model }: ModelOptions): Pick<OpenAiModel, "doGenerate"> {
  // Without a key, the library would read one from the environment.
  const provider = createAnthropic({
    baseURL: baseUrl,
    apiKey: key === "" ? "none" : key,
    fetch: asFetch(key === "" ? withoutKey : modelFetch),
  });
  return provider(model);
}

const withoutKey: ModelFetch = async (url, init) => {
  const headers = new Headers(init?.headers);
  headers.delete("x-api-key");
  return await modelFetch(url, { ...init, headers });
};

/** The type of Bun's fetch has a `preconnect`, which the libraries do not call. */
function asFetch(send: ModelFetch): typeof fetch {
  return Object.assign(send, { preconnect: () => undefined });
}
