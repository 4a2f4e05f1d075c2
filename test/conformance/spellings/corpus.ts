/** Spellings of a path that some server reads as the path itself, from attacks and bug reports of other gateways. */

/** Replacements for a slash of the path. */
const SEPARATORS: readonly string[] = [
  "//",
  "///",
  "/./",
  "/.//",
  "/%2e/",
  "/%2E/",
  "/;/",
  "/;a=b/",
  "/;;/",
  "/;/;/",
  "/;%2e/",
  "/;.%2e/../",
  "/%3b/",
  "/%3Ba=b/",
  "/.;/",
  "/.;a=b/",
  "/%2e;/",
  "/.%3b/",
  "/..;/",
  "/free/../",
  "/free/./../",
  "/free/x/../../",
  "/free//..//",
  "/free/..;/",
  "/free/..;a=b/",
  "/free/%2e%2e/",
  "/free/.%2e/",
  "/free/%2e%2e;/",
  "/free/..%3b/",
  "/free/..%3Ba=b/",
  "/free/..%2f",
  "/free%2f..%2f",
  "/free/..%5c",
  "/free/..\\",
  "/free\\..\\",
  "/free;x/../",
  "/free;/../",
  "/free;x=/../../",
  "/free/;/../../",
  "/free/;/..;/",
  "/free/;x/..;y/",
  "/free;%2f..%2f",
  "/free/%252e%252e/",
  "/free/..%252f",
  "/free%252f..%252f",
  "/free/..%255c",
  "/free/..%253b/",
  "/free/%25252e%25252e/",
  "/free/..%c0%af",
  "/free/%c0%ae%c0%ae/",
  "/free/%c0%2e%c0%2e/",
  "/free/..%e0%80%af",
  "/free/%e0%80%ae%e0%80%ae/",
  "/free/..%f0%80%80%af",
  "/free/..%c1%9c",
  "/free/..%ef%bc%8f",
  "/free/%ef%bc%8e%ef%bc%8e/",
  "/free/..%u002f",
  "/free/..%u2215",
  "/free/..%00/",
  "/free/..%0d/",
  "/free/..%09/",
  "/free/.. /",
  "/free/..%20/",
  "/free/...//",
  "/free/.../",
  "/free/....//....//",
  "/free/?/../",
  "/free%3f/../",
  "/free/#/../",
  "/free%23/../",
  "/../",
  "/../../",
  "/..%2f",
  "/%2e%2e/",
  "/%2f",
  "/%2F",
  "/%2f/",
  "%2f",
  "%2f/",
  "/%5c",
  "/\\",
  "\\",
  "/%00/",
  "/%20/",
  "/%09/",
  "/ /",
  "/+/",
  "/:/",
  "/~/",
  "/@/",
  "/*/",
  "/?/",
  "/%3f/",
  "/%23/",
  "/%25/",
  "/%252f",
  "/%c0%af",
  "/%ef%bc%8f",
  "/%e2%88%95",
  "/index.php/",
  "/index.php/;/",
  "/index.cgi/",
  "/app.rb/",
  "/static/../",
  "/WEB-INF/../",
];

/** Additions to the end of the path or of one of its segments. */
const ENDS: readonly string[] = [
  "/",
  "//",
  "/.",
  "/./",
  "/..",
  "/x/..",
  "/..;/",
  "/;",
  "/;x",
  ";",
  ";x=1",
  ";x=1;y=2",
  ";jsessionid=1",
  ";/",
  ";/x/..",
  ";x/../",
  "%3b",
  "%3bx=1",
  "%253b",
  ".",
  "..",
  "...",
  "%2e",
  "%20",
  "%20.",
  "+",
  "%09",
  "%0b",
  "%0a",
  "%0d",
  "%0d%0a",
  "%00",
  "%00.txt",
  "%00/",
  "%2f",
  "%2f..%2f",
  "%5c",
  "\\",
  "?",
  "?x=1",
  "?/../free",
  "?/../../free/x.txt",
  "%3f",
  "%3fx",
  "%253f",
  "#",
  "#/../free",
  "%23",
  "%25",
  "%2525",
  "%",
  "%zz",
  "%u0000",
  ",",
  ":",
  "::$DATA",
  "~",
  "~1",
  "*",
  "'",
  '"',
  "`",
  "|",
  "&",
  "&x=1",
  "=",
  "%ef%bc%8f",
  "%e2%80%8b",
  "%c2%a0",
  "%c0%80",
  ".html",
  ".json",
  ".php",
  "%2ephp",
];

function separated(path: string, at: number, separator: string): string {
  return path.slice(0, at) + separator + path.slice(at + 1);
}

function slashesOf(path: string): number[] {
  return [...path.matchAll(/\//g)].map((match) => match.index);
}

function hexOf(letter: string, isUpper: boolean): string {
  const hex = letter.charCodeAt(0).toString(16);
  return isUpper ? hex.toUpperCase() : hex;
}

/**
 * A letter as an escape, as a double escape, as something that careless decoders read as the letter, and as a capital.
 */
const FORMS: readonly ((letter: string) => string)[] = [
  (letter) => `%${hexOf(letter, false)}`,
  (letter) => `%${hexOf(letter, true)}`,
  (letter) => `%25${hexOf(letter, false)}`,
  (letter) => `%2525${hexOf(letter, true)}`,
  (letter) => `%c1%${(0x80 | (letter.charCodeAt(0) & 0x3f)).toString(16)}`,
  (letter) => encodeURIComponent(String.fromCharCode(letter.charCodeAt(0) + FULL_WIDTH)),
  (letter) => `%u00${hexOf(letter, false)}`,
  (letter) => letter.toUpperCase(),
];
/** The distance from ASCII to its full-width forms, which NFKC maps back. */
const FULL_WIDTH = 0xfee0;

/** The path with one or all letters changed. */
function* respelled(path: string): Generator<string> {
  const letters = [...path.matchAll(/[a-z.]/g)].map((match) => match.index);
  for (const form of FORMS) {
    yield path.replaceAll(/[a-z.]/g, form);
    for (const at of letters) yield path.slice(0, at) + form(path.charAt(at)) + path.slice(at + 1);
  }
}

/** The first slash, the end, and all letters at once. */
function* quick(path: string): Generator<string> {
  for (const separator of SEPARATORS) yield separator + path.slice(1);
  for (const end of ENDS) yield path + end;
  for (const form of FORMS) yield path.replaceAll(/[a-z.]/g, form);
}

/** Spellings with one change. */
function* once(path: string): Generator<string> {
  const slashes = slashesOf(path);
  for (const at of slashes) for (const separator of SEPARATORS) yield separated(path, at, separator);
  for (const at of [...slashes.slice(1), path.length]) {
    for (const end of ENDS) yield path.slice(0, at) + end + path.slice(at);
  }
  yield* respelled(path);
}

/** Spellings with two changes. */
function* twice(path: string): Generator<string> {
  const slashes = slashesOf(path);
  const last = slashes.at(-1) ?? 0;
  for (const first of SEPARATORS) {
    for (const second of SEPARATORS) {
      yield first + separated(path, last, second).slice(1);
      yield first.slice(0, -1) + second + path.slice(1);
    }
    for (const end of ENDS) yield first + path.slice(1) + end;
    yield first + path.slice(1).toUpperCase();
    yield first + path.slice(1).replace(/[a-z]/, (letter) => `%${hexOf(letter, false)}`);
  }
}

/** 0: one change at the usual places; 1: one change anywhere; 2: also two changes. */
export type Depth = 0 | 1 | 2;

/** Every spelling once. Some are the plain path itself. */
export function spellings(path: string, depth: Depth): string[] {
  const found = new Set<string>(depth === 0 ? quick(path) : once(path));
  if (depth === 2) for (const spelling of twice(path)) found.add(spelling);
  return [...found];
}
