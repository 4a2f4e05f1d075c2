import { type Element } from "domhandler";
import { replaceChildren } from "./relink.ts";

/** The elements of AMP that scripts replace by others, by name. */
const PLAIN = new Map([
  ["amp-img", "img"],
  ["amp-anim", "img"],
  ["amp-video", "video"],
  ["amp-audio", "audio"],
  ["amp-iframe", "iframe"],
  ["amp-youtube", "iframe"],
]);

/** The name of the element that shows what an element of AMP has, otherwise the element's own name. */
export function plainName({ name }: Element): string {
  return PLAIN.get(name) ?? name;
}

/** Makes the plain element of an element of AMP. */
export function makePlain(element: Element): void {
  const { name, attribs } = element;
  element.name = plainName(element);
  // A picture for browsers without scripts.
  if (name !== element.name && element.name === "img") replaceChildren(element, []);
  const film = attribs["data-videoid"];
  if (name === "amp-youtube" && film !== undefined) attribs["src"] = `https://www.youtube.com/embed/${film}`;
}
