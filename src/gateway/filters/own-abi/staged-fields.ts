import { type Fields, fieldLine, trimOws } from "../../../lib/http/fields.ts";
import { HOP_BY_HOP_FIELDS } from "../../../lib/http/field-roles.ts";
import { BAD_VALUE, LOWER_TOKEN } from "../../exchange/request-fields.ts";

/** Response fields that one invocation can stage. */
const MAX_STAGED_FIELDS = 16;
/** Bytes of their names and values. */
export const MAX_STAGED_BYTES = 4096;

/** The gateway controls the framing, the connection and the request's id. */
const DROPPED: ReadonlySet<string> = new Set([...HOP_BY_HOP_FIELDS, "x-request-id"]);

/** The fields that a filter sets on a response. Invalid fields, and fields beyond the limits, are dropped. */
export class StagedFields {
  readonly #fields: { name: string; lowerName: string; value: string }[] = [];
  #bytes = 0;

  /** Sets a field, and replaces a field of the same name. */
  set(name: string, text: string): void {
    const lowerName = name.toLowerCase();
    const value = trimOws(text);
    if (!LOWER_TOKEN.test(lowerName) || BAD_VALUE.test(value) || DROPPED.has(lowerName)) return;
    const index = this.#fields.findIndex((field) => field.lowerName === lowerName);
    const replaced = this.#fields[index];
    const before = replaced === undefined ? 0 : replaced.name.length + replaced.value.length;
    const bytes = this.#bytes - before + name.length + value.length;
    if (bytes > MAX_STAGED_BYTES || (replaced === undefined && this.#fields.length === MAX_STAGED_FIELDS)) return;
    this.#bytes = bytes;
    if (replaced === undefined) this.#fields.push({ name, lowerName, value });
    else this.#fields[index] = { name, lowerName, value };
  }

  text(): Fields {
    let text = "";
    for (const { name, value } of this.#fields) text += fieldLine(name, value);
    return text;
  }

  clear(): void {
    this.#fields.length = 0;
    this.#bytes = 0;
  }
}
