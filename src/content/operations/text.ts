import { boolean, int, string, type ZodString } from "../../lib/schema.ts";

/** Text with a character that can be seen. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}]/u;

/** A text of at most `maximum` characters, with one that can be seen. */
export function visibleText(maximum: number) {
  return matching(text(maximum), VISIBLE, "must not be empty");
}

/** A text that matches `pattern`. JSON Schema knows no flags of patterns, so the published one has no flags. */
export function matching(schema: ZodString, pattern: RegExp, message: string) {
  return schema.refine((value) => pattern.test(value), message).openapi({ pattern: pattern.source });
}

/**
 * A text of at most `maximum` characters. They are counted as JSON Schema counts them, in code points, so that a gateway with the
 * published schema refuses the same bodies.
 */
export function text(maximum: number, minimum = 0) {
  const bounds = { maxLength: maximum, ...(minimum === 0 ? {} : { minLength: minimum }) };
  return string()
    .check(({ value, issues }) => {
      const length = Array.from(value.slice(0, 2 * maximum + 1)).length;
      const issue = { origin: "string", inclusive: true, input: value } as const;
      if (length > maximum) issues.push({ ...issue, code: "too_big", maximum });
      if (length < minimum) issues.push({ ...issue, code: "too_small", minimum });
    })
    .openapi(bounds);
}

/** A switch, off by default. */
export function flag(byDefault = false) {
  return boolean().default(byDefault);
}

/** An integer from `least` to `most`. */
export function whole(least: number, most: number) {
  return int().min(least).max(most);
}
