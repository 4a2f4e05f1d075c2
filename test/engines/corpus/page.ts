import { type EngineName } from "../../../src/content/page/page.ts";

/** One page of the corpus. */
export interface CorpusPage {
  /** Its path on the site; the first part names the kind. */
  readonly path: string;
  /** The engine that `auto` should use for it. */
  readonly engine: EngineName;
  respond(request: Request): Response;
}

export interface PageOptions {
  readonly status?: number;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const HTML = "text/html; charset=utf-8";

function page(
  engine: EngineName,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  options: PageOptions,
): CorpusPage {
  const { status = 200, type = HTML, headers = {} } = options;
  return { path, engine, respond: () => new Response(body, { status, headers: { "content-type": type, ...headers } }) };
}

/** A page that needs no browser. */
export function plain(path: string, body: string | Uint8Array<ArrayBuffer>, options: PageOptions = {}): CorpusPage {
  return page("static", path, body, options);
}

/** A page that needs a browser. */
export function scripted(path: string, body: string | Uint8Array<ArrayBuffer>, options: PageOptions = {}): CorpusPage {
  return page("browser", path, body, options);
}

export interface DocumentParts {
  readonly title: string;
  readonly head?: string;
  readonly body: string;
  readonly lang?: string;
  readonly bodyTag?: string;
}

/** A document in the form of site generators. */
export function html({ title, head = "", body, lang = "en", bodyTag = "<body>" }: DocumentParts): string {
  return `<!DOCTYPE html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<meta name="description" content="${title}, on a site of the corpus">
<link rel="canonical" href="/canonical">
<style>body { margin: 0 auto; max-width: 60em } .hidden { display: none } @media print { nav { display: none } }</style>
${head}
</head>
${bodyTag}
${body}
</body>
</html>`;
}
