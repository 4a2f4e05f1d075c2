/** `application/json` and `type/name+json`, then parameters. */
const JSON_TYPE = /^(?:application\/json|[\w!#$&^.+-]{1,127}\/[\w!#$&^.+-]{1,127}\+json)[ \t]*(?:;|$)/i;
/** One parameter of a media type (RFC 9110 §5.6.6). */
const PARAMETER = /;[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=("[^"\\]*"|[\w!#$%&'*+.^`|~-]+))?[ \t]*/gy;

/** True for the Content-Type of JSON in UTF-8. */
export function isJsonType(type: string): boolean {
  if (!JSON_TYPE.test(type)) return false;
  const semicolon = type.indexOf(";");
  if (semicolon < 0) return true;
  PARAMETER.lastIndex = semicolon;
  for (let at = semicolon; at < type.length; at = PARAMETER.lastIndex) {
    const match = PARAMETER.exec(type);
    if (match === null) return false;
    const [, name = "", value = ""] = match;
    if (name.toLowerCase() === "charset" && !/^"?utf-?8"?$/i.test(value)) return false;
  }
  return true;
}
