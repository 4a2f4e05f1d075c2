/** Text that is HTML already. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | undefined | readonly Part[];

/** HTML with everything that is put into it escaped, but for HTML; lists are joined, undefined is nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = strings[0] ?? "";
  for (const [at, part] of parts.entries()) text += render(part) + (strings[at + 1] ?? "");
  return new Html(text);
}

function render(part: Part): string {
  if (part === undefined) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map(render).join("");
  return String(part).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A text with `code` in backquotes. */
export function prose(text: string): Html {
  const parts = text.split("`");
  return html`${parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
}

/** Text that is HTML already, such as a style sheet, which has no markup in it. */
export function raw(text: string): Html {
  return new Html(text);
}
