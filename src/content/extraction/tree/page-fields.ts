import { type Json } from "../../../lib/json-schema/json.ts";

/** The kinds of places where the values of fields are found. */
export const FIELD_ORIGINS = [
  "json-ld",
  "microdata",
  "rdfa",
  "meta",
  "table",
  "definition-list",
  "label",
  "class",
  "heading",
  "link",
  "text",
  "selector",
  "model",
] as const;

export type FieldOrigin = (typeof FIELD_ORIGINS)[number];

/** The place of a value in its page. */
export interface FieldSource {
  readonly from: FieldOrigin;
  /** A CSS selector of the element. */
  readonly selector: string;
  /** The place in the element's JSON-LD, as a JSON pointer. */
  readonly pointer?: string | undefined;
  /** The element's attribute that has the value. */
  readonly attribute?: string | undefined;
  /** The text that states the value. */
  readonly quote: string;
  /** Whether the value is part of the visible text. */
  readonly shown: boolean;
  /** A value of the structured data that the visible text contradicts. */
  readonly conflict?: Json;
}

/** The place of a field on the pages of a template: beside a label, or at a selector, there in an attribute or in JSON-LD. */
export type FieldRule =
  | { readonly label: string }
  | { readonly selector: string; readonly attribute?: string | undefined; readonly pointer?: string | undefined };

/** A value that a language model states, and the line of the page's text that it names for it. */
export interface FieldSuggestion {
  readonly value: string;
  readonly quote: string;
}

export interface MissingField {
  /** JSON pointer. */
  readonly path: string;
  readonly reason: string;
  /** Whether the schema requires it. */
  readonly required: boolean;
}

export interface PageFields {
  /** Fields without a value are null. */
  readonly value: Json;
  /** By JSON pointer of the field. */
  readonly sources: Readonly<Record<string, FieldSource>>;
  readonly missing: readonly MissingField[];
  /** Only there if a reader may not see values that seem shown: the addresses of style sheets that were not loaded. */
  readonly unread?: readonly string[];
  /** By JSON pointer: the rules that find the value. Only there if they are to be learned. */
  readonly rules?: Readonly<Record<string, readonly FieldRule[]>>;
  /** The visible text. Only there if it is asked for. */
  readonly text?: string;
  /** Fields that are not at their learned places. Only there with learned rules. */
  readonly drift?: readonly string[];
}
