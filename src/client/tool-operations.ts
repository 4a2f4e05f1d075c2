import { toolOperations } from "../../scripts/tool-operations.ts" with { type: "macro" };
import { type ToolName } from "./operations.ts";

/** An operation that an agent can call. */
interface ToolOperation {
  readonly description: string;
  /** The JSON schema of its parameters, without references. */
  readonly parameters: Readonly<Record<string, unknown>> & { readonly type: "object" };
}

/** Every operation with a price: data that the bundler computes from the API's description. */
export const TOOL_OPERATIONS = toolOperations() as Readonly<Record<ToolName, ToolOperation>>; // oxlint-disable-line typescript/no-unsafe-type-assertion -- the names come from the same function
