/**
 * The `Authorization` value of a URL with a user name or password (RFC 7617); undefined without them. Throws a URIError,
 * which does not contain them, if their percent-encoding is not valid.
 */
export function basicAuthorization({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}
