/** Turns the issues that zod reports for single values into diagnostics with Turnpike's own messages. */
import { type z } from "zod";
import { describeFound, type Diagnostic, formatPath, MAX_DIAGNOSTICS, valueAt } from "./diagnostic.ts";

const KINDS: Record<string, string> = {
  int: "a whole number",
  number: "a number",
  string: "a string",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "an array",
};

function oneOf(values: readonly unknown[]): string {
  return `one of ${values.map((value) => JSON.stringify(value)).join(", ")}`;
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${KINDS[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return issue.values.length === 1
        ? `expected ${JSON.stringify(issue.values[0])}`
        : `expected ${oneOf(issue.values)}`;
    case "too_small":
      return issue.origin === "string" || issue.origin === "array"
        ? issue.message
        : `expected ${String(issue.minimum)} or more`;
    case "too_big":
      if (issue.origin === "string") return `expected at most ${String(issue.maximum)} characters`;
      if (issue.origin === "array") return `expected at most ${String(issue.maximum)} items`;
      return `expected ${String(issue.maximum)} or less`;
    case "invalid_union": {
      // Only unions with a discriminator have options. All unions here have one, except free-form JSON.
      const options: unknown = Reflect.get(issue, "options");
      return Array.isArray(options) ? `expected ${oneOf(options)}` : "expected a JSON value";
    }
    case "invalid_format":
    case "not_multiple_of":
    case "unrecognized_keys":
    case "invalid_key":
    case "invalid_element":
    case "custom":
      break;
  }
  return issue.message;
}

/** The problems that zod found in `value`: one for each path, in the order in which the paths appear, up to one more than are reported. */
export function problemsOf(issues: readonly z.core.$ZodIssue[], value: unknown): Diagnostic[] {
  const problems = new Map<string, Diagnostic>();
  for (const issue of issues) {
    if (issue.code === "unrecognized_keys") continue;
    if (problems.size > MAX_DIAGNOSTICS) break;
    const path = formatPath(issue.path);
    // The first issue of a path counts. Of two upper bounds the later one counts: it is the key's own, after the bound
    // of all integers.
    if (problems.has(path) && issue.code !== "too_big") continue;
    const found = valueAt(value, issue.path);
    // A string in the place of an object may be a secret of that object.
    const isMisplaced =
      typeof found === "string" && issue.code === "invalid_type" && KINDS[issue.expected] === "an object";
    const described = isMisplaced ? "a string" : describeFound(path, found);
    const message =
      found === undefined ? `required, ${expectation(issue)}` : `${expectation(issue)}, found ${described}`;
    problems.set(path, { path, message });
  }
  return [...problems.values()];
}
