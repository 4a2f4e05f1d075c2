import { oneOf, strictObject, string } from "./recorded-schema.ts";
import { count, httpUrl, milliseconds, ours, text, flag } from "./kinds.ts";

/** Minimum number of tokens that a question leaves to instructions, criteria and sources. */
const MIN_PROMPT_TOKENS = 2_000;

const model = strictObject({
  protocol: oneOf(["openai", "anthropic"])
    .default("openai")
    .describe("Protocol: OpenAI's chat completions, or Anthropic's messages."),
  base_url: httpUrl.describe(
    "URL before `/chat/completions` or `/messages`, such as `https://api.openai.com/v1`. It may be private. Redirects are refused.",
  ),
  model: text.max(200).describe("Name of the model."),
  key_env: string()
    .regex(/^(?:[A-Za-z_][A-Za-z0-9_]*)?$/, "expected the name of an environment variable")
    .default("")
    .describe("Environment variable with the key. Empty: no key is sent."),
  response_format: oneOf(["json_schema", "json_object", "text"])
    .default("json_schema")
    .describe("Form of the request for JSON: by a schema, as any object, or only by the prompt."),
  tokens_field: oneOf(["max_tokens", "max_completion_tokens"])
    .default("max_tokens")
    .describe("Field that limits the tokens. OpenAI's reasoning models need `max_completion_tokens`."),
  max_input_tokens: count(24_000, 1000, 1_000_000).describe(
    "Maximum tokens of the sources' texts, counted as 3 bytes each. Longer texts are cut.",
  ),
  max_output_tokens: count(4096, 256, 131_072).describe("Maximum tokens of a response."),
  max_tokens_per_question: count(64_000, 1000, 2_000_000).describe(
    "Maximum tokens of one question, with its response. Sources are shortened to fit.",
  ),
  max_tokens_per_day: count(10_000_000, 1000, 1_000_000_000_000).describe(
    "Maximum tokens of one day in UTC, after which the model fails.",
  ),
  timeout_ms: milliseconds(20_000).describe("Time for a response, at most half of the resolution's `timeout`."),
  fallback: flag().describe("Use the embedded analyst if the model fails; otherwise the resolution fails with 502."),
})
  .refine(
    ({ max_output_tokens: output, max_tokens_per_question: question }) => question >= output + MIN_PROMPT_TOKENS,
    {
      path: ["max_tokens_per_question"],
      error: `expected at least ${MIN_PROMPT_TOKENS} more than max_output_tokens`,
    },
  )
  .refine(({ max_tokens_per_question: question, max_tokens_per_day: day }) => day >= question, {
    path: ["max_tokens_per_day"],
    error: "expected at least max_tokens_per_question",
  })
  .meta(ours("Language model that replaces the embedded analyst."));

export const contentResolve = strictObject({ model: model.exactOptional() })
  .prefault({})
  .meta(ours("The analyst of `/resolve`. Default: the embedded analyst."));
