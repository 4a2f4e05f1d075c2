/**
 * The end of an object's value that begins here: before a comma or the object's bracket, or after a function's body.
 */
export function endOfValue(code: string, start: number): number {
  let depth = 0;
  for (let at = start; at < code.length; at += 1) {
    const char = code.charAt(at);
    if (char === '"' || char === "'" || char === "`") {
      at = endOfString(code, at);
    } else if (char === "(" || char === "[" || char === "{") depth += 1;
    else if (char === ")" || char === "]" || char === "}") {
      depth -= 1;
      if (depth < 0) return at;
      // The end of the body of a declared function.
      if (depth === 0 && char === "}" && code.startsWith("function ", start)) return at + 1;
    } else if ((char === "," || char === ";") && depth === 0) return at;
  }
  return code.length;
}

function endOfString(code: string, start: number): number {
  const quote = code.charAt(start);
  for (let at = start + 1; at < code.length; at += 1) {
    if (code.charAt(at) === "\\") at += 1;
    else if (code.charAt(at) === quote) return at;
  }
  return code.length;
}
