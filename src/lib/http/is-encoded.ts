/** True for fields of a body with a Content-Encoding other than `identity` (RFC 9110 §8.4). */
export function isEncoded(headers: Headers): boolean {
  return (headers.get("content-encoding") ?? "identity").toLowerCase() !== "identity";
}
