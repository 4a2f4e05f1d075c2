/** Checks the links of a built site, without a network: pages, files and anchors. */
import { dirname, join, normalize } from "node:path";
import { Glob } from "bun";
import { Parser } from "htmlparser2";

/** A link whose page, file or anchor is missing. */
export interface BrokenLink {
  readonly page: string;
  readonly href: string;
}

interface Page {
  readonly ids: ReadonlySet<string>;
  readonly hrefs: ReadonlySet<string>;
}

function parsePage(html: string): Page {
  const ids = new Set<string>();
  const hrefs = new Set<string>();
  const parser = new Parser({
    onopentag(_name, attributes) {
      if (attributes.id !== undefined) ids.add(attributes.id);
      for (const href of [attributes.href, attributes.src]) if (href !== undefined) hrefs.add(href);
    },
  });
  parser.end(html);
  return { ids, hrefs };
}

/** All broken links of the pages in a folder. Links to other hosts are not followed. */
export async function brokenLinks(folder: string): Promise<BrokenLink[]> {
  const files = new Set(new Glob("**/*").scanSync(folder));
  const pages = new Map<string, Page>();
  for (const file of files) {
    if (file.endsWith(".html")) pages.set(file, parsePage(await Bun.file(join(folder, file)).text()));
  }
  const broken: BrokenLink[] = [];
  for (const [page, { hrefs }] of pages) {
    for (const href of hrefs) {
      if (!/^[a-z]+:|^\/\//i.test(href) && !leadsSomewhere(page, href, pages, files)) broken.push({ page, href });
    }
  }
  return broken;
}

function leadsSomewhere(
  page: string,
  href: string,
  pages: ReadonlyMap<string, Page>,
  files: ReadonlySet<string>,
): boolean {
  const [path = "", anchor = ""] = decodeURIComponent(href).split("#");
  const joined = path.startsWith("/") ? path.slice(1) : join(dirname(page), path);
  const target = path === "" ? page : normalize(joined).replace(/(^|\/)\.?\/?$/, "$1index.html");
  if (!files.has(target)) return false;
  return anchor === "" || pages.get(target)?.ids.has(anchor) === true;
}
