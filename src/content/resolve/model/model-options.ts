/** The wire formats that are spoken. @internal */
export const MODEL_PROTOCOLS = ["openai", "anthropic"] as const;

/** How the model is told to give JSON: by a schema, as any JSON object, or by the words of the request alone. @internal */
export const RESPONSE_FORMATS = ["json_schema", "json_object", "text"] as const;

/** What the operator says of the language model: the configuration's `content.resolve.model`. */
export interface ModelOptions {
  /** Chat completions as OpenAI has them, or Anthropic's messages. */
  readonly protocol: (typeof MODEL_PROTOCOLS)[number];
  /** What stands before `/chat/completions` or `/messages`. */
  readonly baseUrl: string;
  readonly model: string;
  /** Empty: none is sent. It goes to `baseUrl` alone and is in no error. */
  readonly key: string;
  readonly responseFormat: (typeof RESPONSE_FORMATS)[number];
  /** The field of a chat completion that bounds its tokens. */
  readonly tokensField: "max_tokens" | "max_completion_tokens";
  /** Tokens of the sources at most, a third of their bytes in UTF-8. */
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  readonly timeoutMs: number;
  /** Whether the embedded analyst judges where the model fails. */
  readonly fallback: boolean;
}
