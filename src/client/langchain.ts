/** The operations of a gateway as tools of LangChain. It needs the package `@langchain/core`. */
import { type DynamicStructuredTool, tool } from "@langchain/core/tools";
import { type Turnpike } from "./client.ts";
import { agentTools, base64Of, isFile, type ToolOptions } from "./tools.ts";

export type { ToolName } from "./operations.ts";
export type { ToolOptions } from "./tools.ts";

/**
 * Tools for an agent. The client pays for their calls, within its limits. The artifact of a result is the response of the operation.
 */
export function turnpikeTools(turnpike: Turnpike, options?: ToolOptions): DynamicStructuredTool[] {
  return agentTools(turnpike, options).map(({ name, description, parameters, run }) =>
    tool(
      async (input: unknown, { signal }: { readonly signal?: AbortSignal } = {}) => {
        const result = await run(input, signal);
        return [contentOf(result), result];
      },
      { name, description, schema: parameters, responseFormat: "content_and_artifact" },
    ),
  );
}

function contentOf(result: unknown): string | readonly object[] {
  if (!isFile(result)) return JSON.stringify(result);
  const type = result.contentType.startsWith("image/") ? "image" : "file";
  return [{ type, mimeType: result.contentType, data: base64Of(result) }];
}
