/** Links to files of the repository that are not pages of the site, such as `../README.md`: the site shows their text alone. */

/** The part of a token of markdown-it that is used here. */
interface Token {
  type: string;
  tag: string;
  attrs: [string, string][] | null;
  readonly children: Token[] | null;
  attrGet(name: string): string | null;
}

/** A page while it is parsed; VitePress gives its path below docs/. */
interface State {
  readonly tokens: Token[];
  readonly env: { readonly relativePath?: string };
}

/** The part of markdown-it that is used here. */
interface MarkdownIt {
  readonly core: {
    readonly ruler: {
      after(rule: string, name: string, change: (state: State) => void): void;
    };
  };
}

/** A plug-in of markdown-it. */
export function repositoryLinks(markdown: MarkdownIt): void {
  markdown.core.ruler.after("inline", "repository-links", ({ tokens, env }) => {
    for (const { children } of tokens) unlink(children ?? [], env.relativePath ?? "");
  });
}

function unlink(tokens: readonly Token[], page: string): void {
  let isOutside = false;
  for (const token of tokens) {
    if (token.type === "link_open") isOutside = leavesDocs(token.attrGet("href") ?? "", page);
    if (!isOutside || !token.type.startsWith("link_")) continue;
    isOutside = token.type !== "link_close";
    token.type = token.type.replace("link", "span");
    token.tag = "span";
    token.attrs = null;
  }
}

/** True if the link goes up further than the page lies below docs/. */
export function leavesDocs(href: string, page: string): boolean {
  const levelsUp = /^(?:\.\.\/)*/.exec(href)?.[0].length ?? 0;
  return levelsUp / "../".length > page.split("/").length - 1;
}
