const STANDARD: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "CONNECT",
  "TRACE",
]);

/**
 * Why no request of this method is served; empty where it is. TRACE would show a client the fields that were added for the
 * upstream. Methods are case-sensitive (RFC 9110 §9.1), and an upstream that takes `head` for HEAD answers without the
 * body that this side then waits for. Methods that nobody knows are the upstream's business.
 */
export function unservedMethod(method: string): string {
  if (method === "CONNECT" || method === "TRACE") return `${method} is not served`;
  if (!STANDARD.has(method) && STANDARD.has(method.toUpperCase())) return "methods are written in capitals";
  return "";
}
