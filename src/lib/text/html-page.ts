import { html, type Html, raw } from "./html.ts";

/** The head of a page. `style` is a style sheet. Search engines do not list the page if `isListed` is false. */
export interface PageHead {
  readonly title: string;
  readonly style: string;
  readonly isListed?: boolean;
}

const UNLISTED = html`<meta name="robots" content="noindex">
`;

/** A whole page in English, with `body` as the content of its body element. */
export function htmlPage({ title, style, isListed = true }: PageHead, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${isListed ? undefined : UNLISTED}<title>${title}</title>
<style>${raw(style)}</style>
</head>
<body>
${body}
</body>
</html>
`.text;
}
