/** The operations of a gateway as tools of the AI SDK. It needs the package `ai`. */
import { jsonSchema, type Tool, tool, type ToolSet } from "ai";
import { type Turnpike } from "./client.ts";
import { agentTools, base64Of, isFile, type ToolOptions } from "./tools.ts";

export type { ToolName } from "./operations.ts";
export type { ToolOptions } from "./tools.ts";

/** Tools for `generateText` and the like, by name. The client pays for their calls, within its limits. */
export function turnpikeTools(turnpike: Turnpike, options?: ToolOptions): ToolSet {
  return Object.fromEntries(
    agentTools(turnpike, options).map(({ name, description, parameters, run }) => [
      name,
      tool({
        description,
        inputSchema: jsonSchema(parameters),
        execute: (input: unknown, { abortSignal }) => run(input, abortSignal),
        toModelOutput: ({ output }: { readonly output: unknown }) => modelOutput(output),
      }),
    ]),
  );
}

type ModelOutput = Awaited<ReturnType<NonNullable<Tool["toModelOutput"]>>>;

function modelOutput(output: unknown): ModelOutput {
  if (!isFile(output)) return { type: "text", value: JSON.stringify(output) };
  const data = { type: "data" as const, data: base64Of(output) };
  return { type: "content", value: [{ type: "file", mediaType: output.contentType, data }] };
}
