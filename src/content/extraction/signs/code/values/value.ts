import { type Element } from "domhandler";
import { type ESTree } from "meriyah";
import { type Scope } from "../syntax/scope.ts";
import { type Class, type Fn } from "../syntax/syntax.ts";

/** An element that a script creates. */
export interface Made {
  /** The names of the elements in it. */
  readonly tags: Set<string>;
  /** Its class names, identifiers and styles. */
  names: string;
}

/** The known part of a value. */
export type Value =
  | { readonly is: "unknown" }
  /** A value of the browser or a library that is not an element. */
  | { readonly is: "other" }
  | { readonly is: "constant"; readonly value: string | number | boolean | bigint | null | undefined }
  /** A text of which only a part is known. */
  | { readonly is: "text"; readonly text: string }
  | { readonly is: "elements"; readonly all: readonly Element[] }
  | { readonly is: "data"; readonly all: readonly Element[] }
  | { readonly is: "shadow"; readonly all: readonly Element[] }
  | { readonly is: "made"; readonly made: Made }
  | { readonly is: "function"; readonly node: Fn; readonly self: Value }
  | { readonly is: "class"; readonly node: Class }
  | { readonly is: "instance"; readonly node: Class; readonly elements: Value }
  | { readonly is: "object"; readonly node: ESTree.ObjectExpression; readonly scope: Scope }
  | { readonly is: "module"; readonly from: string }
  | { readonly is: "global"; readonly name: string };

/** A value of which nothing is known. */
export const UNKNOWN: Value = { is: "unknown" };

/** A value that is not an element. */
export const OTHER: Value = { is: "other" };

/** A known value. */
export function constant(value: Extract<Value, { is: "constant" }>["value"]): Value {
  return { is: "constant", value };
}

/** The value `undefined`. */
export const NOTHING = constant(undefined);

/** A list of elements. */
export function elements(all: readonly Element[]): Value {
  return { is: "elements", all };
}

/** The common part of several possible values: all their elements. */
export function either(values: readonly Value[]): Value {
  const [first, ...rest] = values;
  if (first === undefined) return OTHER;
  if (rest.length === 0) return first;
  const all = values.flatMap((value) => (value.is === "elements" ? value.all : []));
  if (all.length > 0) return elements(all);
  return (
    values.find(({ is }) => is === "made" || is === "function" || is === "text") ??
    (values.every(({ is }) => is === "constant" || is === "other") ? OTHER : UNKNOWN)
  );
}

/** The text of a value, as far as it is known. */
export function textOf(value: Value): string | undefined {
  if (value.is === "text") return value.text;
  return value.is === "constant" ? String(value.value ?? "") : undefined;
}

/** The names of the elements in HTML, and "#text" if it has letters or digits. */
export function tagsIn(html: string): string[] {
  const tags = Array.from(html.matchAll(/<([a-z?][\w-]*)/gi), ([, name = ""]) => name.toLowerCase());
  return /[\p{L}\p{N}]/u.test(html.replaceAll(/<[^>]*>?/g, "")) ? [...tags, "#text"] : tags;
}
