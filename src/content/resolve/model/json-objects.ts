import { z } from "zod";

/** The ends of a reasoning model's thoughts. */
const THOUGHTS_END = /<\/(?:think|thinking|thought|reasoning)>/giu;
const STARTS_WITH_THOUGHTS = /^\s*<(?:think|thinking|thought|reasoning)>/iu;
/** Maximum number of places that are tried as the end of the thoughts. */
const MAX_ENDS = 4;
/** Maximum number of opening braces that begin no object. The search ends after them. */
const MAX_FALSE_STARTS = 32;

/**
 * The parts of a reasoning model's text that may be its analysis, the most likely first. Its thoughts are not: they
 * contain drafts. Some servers remove the tag that opens them.
 */
export function withoutThoughts(text: string): string[] {
  const ends = [...text.matchAll(THOUGHTS_END)].slice(0, MAX_ENDS);
  const afterThoughts = ends.map(({ index, 0: tag }) => text.slice(index + tag.length));
  if (STARTS_WITH_THOUGHTS.test(text)) return afterThoughts;
  // Without thoughts, a quote can contain such a tag.
  const isJson = /^\s*(?:```\w*\s*)?\{/u.test(text);
  return isJson ? [text, ...afterThoughts] : [...afterThoughts, text];
}

/**
 * The JSON objects in a text with other words around them, in their order. After a brace that begins no object, only
 * objects with the property `key` count: others may be parts of an object that was cut.
 */
export function jsonObjectsIn(text: string, key: string): object[] {
  const found: object[] = [];
  let falseStarts = 0;
  let from = text.indexOf("{");
  while (from !== -1 && falseStarts < MAX_FALSE_STARTS) {
    const end = endOfObject(text, from);
    const value = end === undefined ? undefined : parsedObject(text.slice(from, end));
    if (value === undefined) falseStarts += 1;
    else if (falseStarts === 0 || key in value) found.push(value);
    from = text.indexOf("{", value === undefined ? from + 1 : end);
  }
  return found;
}

/** The last object that fits the schema, in the part of a model's text that is most likely its response; undefined if none fits. */
export function lastFitting<S extends z.ZodType>(text: string, key: string, schema: S): z.output<S> | undefined {
  for (const part of withoutThoughts(text)) {
    for (const value of jsonObjectsIn(part, key).toReversed()) {
      const result = schema.safeParse(value);
      if (result.success) return result.data;
    }
  }
  return undefined;
}

/** Keywords of a JSON Schema that the strict mode of some servers does not accept. */
const BOUNDS = "minItems maxItems minLength maxLength minimum maximum pattern".split(" ");

/** The JSON Schema of a response, without its bounds. */
export function schemaFor(response: z.ZodType): object {
  const schema = z.toJSONSchema(response, {
    override: ({ jsonSchema }) => {
      for (const bound of BOUNDS) Reflect.deleteProperty(jsonSchema, bound);
    },
  });
  delete schema.$schema;
  return schema;
}

/** The position after the brace that closes the one at `from`. Braces in strings do not count. */
function endOfObject(text: string, from: number): number | undefined {
  let depth = 0;
  let isString = false;
  for (let at = from; at < text.length; at += 1) {
    const one = text[at];
    if (isString && one === "\\") at += 1;
    else if (one === '"') isString = !isString;
    else if (!isString && one === "{") depth += 1;
    else if (!isString && one === "}") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function parsedObject(json: string): object | undefined {
  try {
    // The text begins with a brace, so the value is an object.
    return JSON.parse(json) as object;
  } catch {
    return undefined;
  }
}
