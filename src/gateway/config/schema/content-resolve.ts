import * as z from "zod";
import { count, httpUrl, milliseconds, ours, text } from "./kinds.ts";

const model = z
  .strictObject({
    protocol: z
      .enum(["openai", "anthropic"])
      .default("openai")
      .describe("Wire format: chat completions as OpenAI has them, or Anthropic's messages."),
    base_url: httpUrl.describe(
      "What stands before `/chat/completions` or `/messages`, as in `https://api.openai.com/v1`. It may be private; redirects are refused.",
    ),
    model: text.max(200).describe("Name of the model."),
    key_env: z
      .string()
      .regex(/^(?:[A-Za-z_][A-Za-z0-9_]*)?$/, "expected the name of an environment variable")
      .default("")
      .describe("Environment variable that holds the key; empty sends none."),
    response_format: z
      .enum(["json_schema", "json_object", "text"])
      .default("json_schema")
      .describe(
        "How the model is told to respond in JSON: by a schema, as any JSON object, or by words alone. Take what its server supports; what comes is checked all the same. With Anthropic's messages `json_object` is as `text`.",
      ),
    tokens_field: z
      .enum(["max_tokens", "max_completion_tokens"])
      .default("max_tokens")
      .describe("Field of a chat completion that bounds its tokens; OpenAI's reasoning models take the second alone."),
    max_input_tokens: count(24_000, 1000, 1_000_000).describe(
      "Tokens of the sources' texts at most, counted as one for 3 bytes; longer texts are cut.",
    ),
    max_output_tokens: count(4096, 256, 131_072).describe("Tokens of a response at most."),
    timeout_ms: milliseconds(20_000).describe("Time for a response; half of a resolution's `timeout` at most."),
    fallback: z
      .boolean()
      .default(false)
      .describe("Have the embedded analyst judge when the model fails; without it the resolution fails, with 502."),
  })
  .meta(ours("Language model that reads the sources in place of the embedded analyst."));

/** `content.resolve`: who judges at `/resolve`. */
export const contentResolve = z
  .strictObject({ model: model.exactOptional() })
  .prefault({})
  .meta(ours("The analyst of `/resolve`; the embedded one unless a model is set."));
