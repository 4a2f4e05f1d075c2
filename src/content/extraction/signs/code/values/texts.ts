import { type ESTree } from "meriyah";
import { constant, elements, textOf, UNKNOWN, OTHER, type Value } from "./value.ts";

/** Maximum number of characters of a text that are kept. */
export const MAX_TEXT = 4_000;

/** A text from its parts. If it is not whole, some of them are not known. */
export function joined(parts: readonly Value[], isWhole: boolean): Value {
  const text = parts
    .map((part) => textOf(part) ?? "")
    .join("")
    .slice(0, MAX_TEXT);
  return isWhole ? constant(text) : { is: "text", text };
}

/** The result of an operator with two operands. */
export function operated(operator: ESTree.BinaryExpression["operator"], a: Value, b: Value): Value {
  const areKnown = a.is === "constant" && b.is === "constant";
  if (operator === "+")
    return areKnown || textOf(a) !== undefined || textOf(b) !== undefined ? joined([a, b], areKnown) : UNKNOWN;
  if (!areKnown) return /^[=!<>]/.test(operator) || operator === "in" ? UNKNOWN : OTHER;
  // A page compares values of these types as it means to.
  if (operator === "===" || operator === "==") return constant(a.value === b.value);
  if (operator === "!==" || operator === "!=") return constant(a.value !== b.value);
  return typeof a.value === "number" && typeof b.value === "number" && operator === ">"
    ? constant(a.value > b.value)
    : UNKNOWN;
}

/** The result of a method of a known text. */
export function ofText(text: string, key: string): Value {
  if (key === "toLowerCase") return constant(text.toLowerCase());
  return key === "split" && text === "" ? elements([]) : UNKNOWN;
}
