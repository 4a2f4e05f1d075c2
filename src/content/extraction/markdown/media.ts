import { type Element, type ParentNode, isTag, isText } from "domhandler";
import { escapeAddress, escapeLabel, escapeTitle } from "./escape.ts";

/** A list of choices with more of them shows the chosen one only: countries, years. */
const MAX_OPTIONS = 20;

/** A picture with its text. */
export function imageMarkdown({ attribs }: Element): string {
  const title = fold(attribs["title"]);
  const alt = fold(attribs["alt"]) || title;
  const shown = title === "" || title === alt ? "" : ` "${escapeTitle(title)}"`;
  return `![${escapeLabel(alt)}](${escapeAddress(attribs["src"] ?? "")}${shown})`;
}

/** What a film, a sound or a frame calls itself; empty where it does not. */
export function mediaLabel({ attribs }: Element): string {
  return fold(attribs["title"]) || fold(attribs["aria-label"]) || fold(attribs["name"]);
}

/** What a list of choices shows: all of them where they are few. */
export function optionsText(select: Element): string {
  const options = select.children.flatMap((child) => {
    if (!isTag(child)) return [];
    return child.name === "option" ? [child] : child.children.filter(isTag).filter(({ name }) => name === "option");
  });
  const texts = options.map(textOf).filter((text) => text !== "");
  if (texts.length <= MAX_OPTIONS) return texts.join(", ");
  const chosen = options.find(({ attribs }) => attribs["selected"] !== undefined) ?? options[0];
  return chosen === undefined ? "" : textOf(chosen);
}

function textOf(option: ParentNode): string {
  return fold(option.children.map((child) => (isText(child) ? child.data : "")).join(""));
}

function fold(text: string | undefined): string {
  return text === undefined ? "" : text.replace(/\s+/g, " ").trim();
}
