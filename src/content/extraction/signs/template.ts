import { type Survey } from "./survey.ts";

/** Characters of an inline script that are compared. */
const MAX_CODE = 2_000;

/** Attributes with which pages tell libraries what to do. */
const DIRECTIVE = /^(?:[:@]|(?:x|v|ng|hx|up|wire|data-bind|data-controller|data-hx)(?:$|[-:]))/;

const VALUES = /"[^"\n]*"|'[^'\n]*'|`[^`]*`|\d+/g;

/**
 * Names the template of a page: the pages of a template have the same scripts and directives, apart from data in them, and
 * addresses of the same form.
 */
export function templateOf({ code, source, elements }: Survey): string {
  const url = URL.parse(source.finalUrl);
  const parts = new Set(code.unknown.map(({ address }) => address.replace(/[?#].*$/, "")));
  for (const { code: inline } of code.inline) parts.add(inline.slice(0, MAX_CODE).replaceAll(VALUES, ""));
  for (const { name, attribs } of elements) {
    if (name.includes("-")) parts.add(name);
    for (const attribute in attribs) {
      if (DIRECTIVE.test(attribute))
        parts.add(`${attribute}=${(attribs[attribute] ?? "").slice(0, MAX_CODE).replaceAll(VALUES, "")}`);
    }
  }
  return `${url?.origin ?? ""} ${formOf(url?.pathname ?? "")} ${Bun.hash([...parts].join("\n")).toString(36)}`;
}

/** The form of a path: `/2026/05/a-long-day` and `/2025/11/short-days` have the same form. */
function formOf(path: string): string {
  const parts = path.split("/");
  return parts
    .map((part, at) => {
      if (part === "") return "";
      if (at === parts.length - 1) return /\.\w{1,5}$/.exec(part)?.[0] ?? "*";
      return /\d|.{24}|-.*-/.test(part) ? "*" : part;
    })
    .join("/");
}
