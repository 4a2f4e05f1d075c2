import { type Element, isTag, isText } from "domhandler";
import { nextElementSibling, prevElementSibling, textContent } from "domutils";
import { isWithin } from "../../../tree/walk.ts";
import { type PageElements } from "./page-elements.ts";
import { isShadowRoot } from "../../survey.ts";
import { isMissing } from "../syntax/syntax.ts";
import { MAX_TEXT } from "./texts.ts";
import { constant, elements, OTHER, textOf, UNKNOWN, type Value } from "./value.ts";

/** Methods of elements, lists of elements and jQuery whose result is the same elements, or some of them. */
export const RETURNS_SAME =
  /^(?:filter|slice|eq|first|last|not|add|end|each|forEach|map|item|at|get|values|entries|toArray|reverse|sort|concat|addClass|removeClass|toggleClass|attr|css|data|prop|on|off|one|bind|animate|stop|delay|html|text|append|appendTo|prepend|wrap|empty|show|hide|fadeIn|fadeOut|removeAttr|then|catch|finally|addBack|ready)$/;

/** Properties, and methods of jQuery, with the elements around an element. */
const SIBLINGS = /^(?:(?:next|previous)(?:Element)?Sibling|next|prev|nextAll|prevAll|siblings)$/;
const ABOVE = /^(?:parent(?:Node|Element)?|parents|parentsUntil|offsetParent)$/;
const BELOW = /^(?:children|childNodes|contents|(?:first|last)(?:Element)?Child|tBodies|rows|cells|elements|options)$/;

/** Properties of a created element that are in it, or around it. */
export const OF_MADE = /^(?:content|(?:first|last)(?:Element)?Child|children|childNodes|parent(?:Node|Element)|0)$/;

const MAX_CHILDREN = 50;
/** Maximum number of elements that `querySelector` finds below several elements. */
const MAX_FIRST = 20;

/** The value of a property of elements. */
export function propertyOfElements(all: readonly Element[], key: string): Value {
  if (/^\d+$/.test(key)) return present([all[Number(key)] ?? all.at(-1)]);
  if (key === "length") return constant(all.length);
  if (ABOVE.test(key)) return present(all.map(({ parent }) => (parent !== null && isTag(parent) ? parent : null)));
  if (BELOW.test(key)) return elements(all.flatMap((one) => below(one, /[cC]hild$|childNodes|contents/.test(key))));
  if (SIBLINGS.test(key)) return present(all.map(key.startsWith("n") ? nextElementSibling : prevElementSibling));
  if (key === "dataset") return { is: "data", all };
  const [first] = all;
  if (key === "textContent" || key === "innerText" || key === "innerHTML")
    return { is: "text", text: first === undefined ? "" : textContent(first).slice(0, MAX_TEXT) };
  if (key !== "shadowRoot") return OTHER;
  const roots = all.flatMap((one) => one.children.filter(isTag).filter(isShadowRoot));
  return roots.length > 0 ? elements(roots) : constant(null);
}

/** The value of a property of a `dataset`, if all elements have the same. */
export function valueOfData(all: readonly Element[], key: string): Value {
  const name = `data-${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const [first, ...rest] = all.map(({ attribs }) => attribs[name]);
  return all.length > 0 && rest.every((one) => one === first) ? constant(first) : UNKNOWN;
}

/** Whether a property or a method of jQuery names the elements above, below or beside an element. */
export function isAround(key: string): boolean {
  return ABOVE.test(key) || BELOW.test(key) || SIBLINGS.test(key);
}

/**
 * The elements that a method finds, in the document if `within` is undefined. Undefined if the method does not search.
 * `given`: the argument.
 */
export function foundBy(
  key: string,
  page: PageElements,
  given: () => Value,
  within: readonly Element[] | "unknown" | undefined,
): Value | undefined {
  if (!/^(?:querySelector(?:All)?|find|closest|getElement(?:ById|sBy.*))$/.test(key)) return undefined;
  const value = given();
  const text = textOf(value);
  if (text === undefined || (within === "unknown" && key !== "getElementById")) return UNKNOWN;
  const found = search(key, page, text, within === "unknown" ? undefined : within);
  return value.is === "text" && found.length === 0 ? UNKNOWN : elements(found);
}

function search(
  key: string,
  page: PageElements,
  text: string,
  within: readonly Element[] | undefined,
): readonly Element[] {
  if (key === "getElementById") return page.byId(text);
  if (key === "closest")
    return page.select(text).filter((one) => within?.some((inner) => isWithin(inner, one)) === true);
  const selector = key === "getElementsByClassName" ? `.${text.trim().split(/\s+/).join(".")}` : text;
  const all = page.select(selector.replace(/^:scope\s*>?\s*/, ""), within);
  return key === "querySelector" ? all.slice(0, within === undefined ? 1 : MAX_FIRST) : all;
}

function present(all: readonly (Element | null | undefined)[]): Value {
  return elements(all.filter((one) => !isMissing(one)));
}

/** The elements in an element. A text in it is represented by the element itself. */
function below(element: Element, hasTexts: boolean): readonly Element[] {
  const { children } = element;
  const isMixed = hasTexts && children.some((child) => isText(child) && child.data.trim() !== "");
  return [...(isMixed ? [element] : []), ...children.filter(isTag).slice(0, MAX_CHILDREN)];
}
