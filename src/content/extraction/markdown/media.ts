import { type Element, isTag } from "domhandler";
import { textContent } from "domutils";
import { escapeAddress, escapeLabel, escapeTitle } from "./escape.ts";

/**
 * Maximum number of options of a selection list that is shown completely. A longer list, such as countries, is shown
 * with its selected option only.
 */
const MAX_OPTIONS = 20;

/** A picture with its alternative text. */
export function imageMarkdown({ attribs }: Element): string {
  const title = fold(attribs["title"]);
  const alt = fold(attribs["alt"]) || title;
  const shown = title === "" || title === alt ? "" : ` "${escapeTitle(title)}"`;
  return `![${escapeLabel(alt)}](${escapeAddress(attribs["src"] ?? "")}${shown})`;
}

/** The visible text of a selection list: all options if there are few. */
export function optionsText(select: Element): string {
  const options = select.children.flatMap((child) => {
    if (!isTag(child)) return [];
    return child.name === "option" ? [child] : child.children.filter(isTag).filter(({ name }) => name === "option");
  });
  const texts = options.map(optionText).filter((text) => text !== "");
  if (texts.length <= MAX_OPTIONS) return texts.join(", ");
  const chosen = options.find(({ attribs }) => attribs["selected"] !== undefined) ?? options[0];
  return chosen === undefined ? "" : optionText(chosen);
}

function optionText(option: Element): string {
  return fold(textContent(option));
}

/** A text with single spaces, or an empty text. */
export function fold(text: string | undefined): string {
  return text === undefined ? "" : text.replace(/\s+/g, " ").trim();
}
