import { DownloadError } from "../page/page-errors.ts";
import { type FetchedDocument, type OpenPage, type PageSource } from "../page/page.ts";

/** The script that reads the properties of a page that is not HTML. No script of such a page runs. */
const ABOUT = `({
  contentType: document.contentType,
  finalUrl: location.href,
  status: performance.getEntriesByType("navigation")[0]?.responseStatus ?? 0,
})`;

/** The page that the browser shows. The browser wraps a picture in a page without text. */
export async function sourceOfShown(page: OpenPage): Promise<PageSource> {
  try {
    return await page.snapshot();
  } catch (error) {
    if (!(error instanceof DownloadError)) throw error;
    // The script above makes these fields.
    const about = JSON.parse(await page.evaluate(ABOUT)) as { contentType: string; finalUrl: string; status: number };
    const { contentType, finalUrl, status } = about;
    if (!contentType.startsWith("image/")) throw error;
    const statusCode = status === 0 ? undefined : status;
    return { engine: "browser", body: "", contentType, finalUrl, statusCode, headers: [], complete: true };
  }
}

/** Some browsers show PDF documents in a viewer page. */
export function isPdf({ contentType }: PageSource): boolean {
  return /^application\/(?:x-)?pdf\b/i.test(contentType);
}

/** True for documents whose text can be examined. A browser shows pictures and similar files in a page of its own. */
export function isHtml(contentType: string): boolean {
  return /^(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType);
}

/** True for a document of another type that shows nothing. A picture has no text. */
export function isBlank({ body, contentType }: PageSource): boolean {
  return typeof body === "string" && body.trim() === "" && !contentType.startsWith("image/");
}

/** The page that the static engine has fetched. */
export function sourceOf(fetched: FetchedDocument): PageSource {
  const { url, statusCode, headers, body, complete } = fetched;
  const contentType = headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? "";
  return { engine: "static", body, contentType, finalUrl: url, statusCode, headers, complete };
}
