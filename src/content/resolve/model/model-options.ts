/** The supported wire formats. @internal */
export const MODEL_PROTOCOLS = ["openai", "anthropic"] as const;

/** The ways to ask for JSON: by a schema, as any JSON object, or only in the prompt. @internal */
export const RESPONSE_FORMATS = ["json_schema", "json_object", "text"] as const;

/** The operator's settings of the language model: the configuration's `content.resolve.model`. */
export interface ModelOptions {
  /** OpenAI's chat completions, or Anthropic's messages. */
  readonly protocol: (typeof MODEL_PROTOCOLS)[number];
  /** The URL before `/chat/completions` or `/messages`. */
  readonly baseUrl: string;
  readonly model: string;
  /** If empty, the request has no key. The key is sent only to `baseUrl`, and no error contains it. */
  readonly key: string;
  readonly responseFormat: (typeof RESPONSE_FORMATS)[number];
  /** The field that limits the tokens of a chat completion. */
  readonly tokensField: "max_tokens" | "max_completion_tokens";
  /** Tokens of the sources at most. A token counts as 3 bytes of UTF-8. */
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  /** Tokens of one question at most: instructions, sources and response together. */
  readonly maxTokensPerQuestion: number;
  /** Maximum number of tokens of all questions of one UTC day. */
  readonly maxTokensPerDay: number;
  readonly timeoutMs: number;
  /** Whether the embedded analyst judges if the model fails. */
  readonly fallback: boolean;
}
