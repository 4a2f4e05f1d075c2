/** True for an absolute URL as browsers read it, without white space and control characters. */
export function isAbsoluteUrl(text: string): boolean {
  return !/[\s\p{Cc}]/u.test(text) && URL.canParse(text);
}

/** True for a URL with a user name or a password. */
export function hasCredentials(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.username !== "" || url.password !== "");
}
