/** Names of parameters whose values no trace shows, in lower case. */
const SECRET =
  /^(?:.*(?:token|secret|password|passwd|signature|credential|api[-_.]?key)|awsaccesskeyid|sig|auth|key|jwt|code|session|sessionid|x-amz-.*)$/;

function nameOf(parameter: string): string {
  const at = parameter.indexOf("=");
  const name = (at === -1 ? parameter : parameter.slice(0, at)).replaceAll("+", " ");
  try {
    return decodeURIComponent(name).toLowerCase();
  } catch {
    return name.toLowerCase();
  }
}

/** A query, without its `?`, in which the values of parameters that are secrets by their names say REDACTED. */
export function redactQuery(query: string): string {
  if (!query.includes("=")) return query;
  return query
    .split("&")
    .map((parameter) => {
      const at = parameter.indexOf("=");
      return at !== -1 && SECRET.test(nameOf(parameter)) ? `${parameter.slice(0, at)}=REDACTED` : parameter;
    })
    .join("&");
}
