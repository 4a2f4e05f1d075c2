/** The JSON of a script. Broken scripts are read if what is wrong with them has one meaning. Undefined for others. */
export function tolerantJson(text: string): unknown {
  for (const attempt of [text, mended(text)]) {
    try {
      const value: unknown = JSON.parse(attempt);
      return value;
    } catch {
      // The next attempt may be valid.
    }
  }
  return undefined;
}

/** The text without comments around it, raw line ends in strings, commas before a bracket, and a semicolon at the end. */
function mended(text: string): string {
  const bare = text
    .trim()
    .replace(/^(?:<!--|\/\*\s*<!\[CDATA\[\s*\*\/|\/\/\s*<!\[CDATA\[|<!\[CDATA\[)/, "")
    .replace(/(?:-->|\/\*\s*\]\]>\s*\*\/|\/\/\s*\]\]>|\]\]>)$/, "")
    .trim()
    .replace(/;$/, "");
  let result = "";
  let isString = false;
  for (let at = 0; at < bare.length; at += 1) {
    const one = bare[at] ?? "";
    if (isString && one === "\\") {
      result += one + (bare[at + 1] ?? "");
      at += 1;
    } else if (one === '"') {
      isString = !isString;
      result += one;
    } else if (isString && one < " ") result += JSON.stringify(one).slice(1, -1);
    else if (!isString && one === "," && /^\s*[}\]]/.test(bare.slice(at + 1, at + 50))) continue;
    else result += one;
  }
  return result;
}
