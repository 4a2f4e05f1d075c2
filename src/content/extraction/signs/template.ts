import { type Survey } from "./survey.ts";

/** Characters of an inline script that are compared. */
const MAX_CODE = 2_000;

/**
 * Names the template of a page: the pages of a template have the same scripts, apart from data in them, and addresses of the
 * same form.
 */
export function templateOf({ code, source }: Survey): string {
  const url = URL.parse(source.finalUrl);
  const external = code.unknown.map(({ address }) => address.replace(/[?#].*$/, ""));
  const inline = code.inline.map(({ code: text }) =>
    text.slice(0, MAX_CODE).replaceAll(/"[^"\n]*"|'[^'\n]*'|`[^`]*`|\d+/g, ""),
  );
  return `${url?.origin ?? ""} ${formOf(url?.pathname ?? "")} ${Bun.hash([...external, ...inline].join("\n")).toString(36)}`;
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
