import { type Element, isTag } from "domhandler";

/** Options of a list. The rest counts as not selected. @bound */
const MAX_OPTIONS = 5_000;

/** The selected options of lists. */
const SELECTED = new WeakMap<Element, ReadonlySet<Element>>();

/** Whether an element is an option that is not the value of its list, or that asks for a choice. */
export function isUnselected(element: Element): boolean {
  if (element.name !== "option") return false;
  const list = listOf(element);
  if (list === undefined) return true;
  const selected = SELECTED.getOrInsertComputed(list, selectedIn);
  return !selected.has(element) || element.attribs["value"]?.trim() === "";
}

function listOf({ parent }: Element): Element | undefined {
  const outer = parent !== null && isTag(parent) && parent.name === "optgroup" ? parent.parent : parent;
  return outer !== null && isTag(outer) && outer.name === "select" ? outer : undefined;
}

/** The selected options. A list that shows one option selects the last that says so, or else the first (HTML §4.10.7). */
function selectedIn(list: Element): ReadonlySet<Element> {
  const options = list.children
    .filter(isTag)
    .flatMap((child) => (child.name === "optgroup" ? child.children.filter(isTag) : [child]))
    .filter(({ name }) => name === "option")
    .slice(0, MAX_OPTIONS);
  const selected = options.filter(({ attribs }) => attribs["selected"] !== undefined);
  if (list.attribs["multiple"] !== undefined) return new Set(selected);
  const isOpen = Number(list.attribs["size"] ?? 1) > 1;
  const one = selected.at(-1) ?? (isOpen ? undefined : options.find(isEnabled));
  return new Set(one === undefined ? [] : [one]);
}

function isEnabled({ attribs, parent }: Element): boolean {
  const isOff =
    parent !== null && isTag(parent) && parent.name === "optgroup" && parent.attribs["disabled"] !== undefined;
  return attribs["disabled"] === undefined && !isOff;
}
