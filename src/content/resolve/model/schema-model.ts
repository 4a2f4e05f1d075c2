import { z } from "zod";
import { lastFitting, schemaFor } from "./json-objects.ts";
import { type ModelAnalyst } from "./model-analyst.ts";
import { ModelError } from "./model-error.ts";

/** Fields of a schema, and characters of a description. */
const MAX_FIELDS = 30;
const MAX_DESCRIPTION = 200;

/** The types that a field can have, with their schemas. */
const TYPES = {
  text: { type: "string" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  texts: { type: "array", items: { type: "string" } },
} as const;

const field = z.object({
  name: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_]{0,49}$/)
    .describe("A short name in English, such as price or opening_hours"),
  type: z.enum(["text", "number", "boolean", "texts"]),
  description: z.string().max(MAX_DESCRIPTION).describe("What the field is, in a few words"),
});
const output = z.object({ fields: z.array(field).min(1).max(MAX_FIELDS) });
const SCHEMA = schemaFor(output);

const INSTRUCTIONS = `You name the fields that a person wants from web pages.

The user's message is one JSON object with the wish of the person as "question". Give a field for each thing that the person asks for, and no other.

Answer with one JSON object of this schema and nothing else:
${JSON.stringify(SCHEMA)}`;

/** A language model that makes a schema of fields from a wish. */
export class SchemaModel {
  readonly #analyst: Pick<ModelAnalyst, "ask">;
  readonly #maxOutputTokens: number;

  constructor(analyst: Pick<ModelAnalyst, "ask">, { maxOutputTokens }: { readonly maxOutputTokens: number }) {
    this.#analyst = analyst;
    this.#maxOutputTokens = maxOutputTokens;
  }

  /** The JSON Schema of an object with the fields. Fails with a ModelError. */
  async schemaFor(wish: string, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    const prompt = { system: INSTRUCTIONS, user: JSON.stringify({ question: wish, sources: [] }) };
    const json = { name: "fields", schema: SCHEMA };
    const { text } = await this.#analyst.ask({ prompt, maxOutputTokens: this.#maxOutputTokens, json }, signal);
    const found = lastFitting(text, "fields", output);
    if (found !== undefined) return schemaOf(found.fields);
    throw new ModelError("unreadable", "its response is not JSON with names of fields");
  }
}

function schemaOf(fields: z.output<typeof output>["fields"]): Readonly<Record<string, unknown>> {
  const properties = fields.map(({ name, type, description }) => [name, { ...TYPES[type], description }] as const);
  return { type: "object", properties: Object.fromEntries(properties) };
}
