/** Whether a Content-Type is one of HTML; a page without a type is taken for HTML, as browsers mostly find it to be. */
export function isHtml(contentType: string): boolean {
  const essence = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return essence === "" || essence === "text/html" || essence === "application/xhtml+xml";
}

/** The text of a body. */
export function decodeBody(body: string | Uint8Array, contentType: string): string {
  if (typeof body === "string") return body;
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset as Bun.Encoding).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
