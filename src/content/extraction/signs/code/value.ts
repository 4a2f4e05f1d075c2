import { type Element, isTag } from "domhandler";
import { type ESTree } from "meriyah";
import { RE2JS } from "re2js";
import { type Scope } from "./scopes.ts";
import { type Class, type Fn } from "./syntax.ts";

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
  /** The shadow trees of elements. */
  | { readonly is: "shadow"; readonly all: readonly Element[] }
  | { readonly is: "made"; readonly made: Made }
  | { readonly is: "function"; readonly node: Fn; readonly self: Value }
  | { readonly is: "class"; readonly node: Class }
  | { readonly is: "instance"; readonly node: Class; readonly elements: Value }
  | { readonly is: "object"; readonly node: ESTree.ObjectExpression; readonly scope: Scope }
  | { readonly is: "global"; readonly name: string };

/** A value of which nothing is known. */
export const UNKNOWN: Value = { is: "unknown" };

/** The text of a value, as far as it is known. */
export function textOf(value: Value): string | undefined {
  if (value.is === "text") return value.text;
  return value.is === "constant" ? String(value.value ?? "") : undefined;
}

/** The names of the elements in a text of HTML. */
export function tagsIn(html: string): string[] {
  const tags = Array.from(html.matchAll(/<([a-z?][\w-]*)/gi), ([, name = ""]) => name.toLowerCase());
  return html.replaceAll(/<[^>]*>?/g, "").trim() === "" ? tags : [...tags, "#text"];
}

/** The content of an element, as if a script had created it. */
export function madeOf(element: Element): Made {
  const tags = new Set<string>();
  const visit = ({ children }: Pick<Element, "children">): void => {
    for (const child of children) {
      if (isTag(child)) tags.add(child.name);
      else tags.add("#text");
      if ("children" in child) visit(child);
    }
  };
  visit(element);
  return { tags, names: "" };
}

/** The result of a method of a known text. */
export function ofText(text: string, key: string, given: Value): Value | undefined {
  const part = textOf(given);
  if (given.is !== "constant" || part === undefined)
    return text === "" && key === "match" ? { is: "constant", value: null } : UNKNOWN;
  if (key === "includes") return { is: "constant", value: text.includes(part) };
  if (key === "startsWith") return { is: "constant", value: text.startsWith(part) };
  return key === "indexOf" ? { is: "constant", value: text.indexOf(part) } : UNKNOWN;
}

/** Whether a known text matches a pattern, in linear time. */
export function tested({ pattern, flags }: { readonly pattern: string; readonly flags: string }, given: Value): Value {
  if (given.is !== "constant") return UNKNOWN;
  try {
    const isFound = RE2JS.compile(pattern, flags.includes("i") ? RE2JS.CASE_INSENSITIVE : 0)
      .matcher(String(given.value))
      .find();
    return { is: "constant", value: isFound };
  } catch {
    return UNKNOWN;
  }
}
