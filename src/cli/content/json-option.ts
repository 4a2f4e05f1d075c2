import type * as z from "zod";
import { StartError } from "../common/start-error.ts";

/** The value of a flag that takes an object of the configuration as JSON. Throws StartError. */
export function parseJsonOption<T>(flag: string, json: string, schema: z.ZodType<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new StartError(`Cannot use ${flag}: it is not JSON`);
  }
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  const [issue] = error.issues;
  const what = issue?.code === "invalid_type" ? `must be of type ${issue.expected}` : (issue?.message ?? "");
  throw new StartError(`Cannot use ${flag}: ${issue?.path.join(".") || "it"} ${what}`);
}
