import { type Plan, type Source } from "../reading/analysis.ts";
import { hostOf, registeredName } from "../reading/resolution-source.ts";
import { wordsOf } from "../reading/words.ts";

/** Sites on which each subdomain has its own author. */
const HOSTING = new Set(
  "blogspot github gitlab medium substack tumblr weebly wixsite wordpress livejournal netlify vercel pages web firebaseapp herokuapp".split(
    " ",
  ),
);

/** The owner of an address: its registered name, so that one publisher's sites in several countries are one owner. */
export function ownerOf(url: string): string {
  const host = hostOf(url) ?? url;
  // An address without a name has no owner but its server.
  if (/^[\d.]+$|^\[/.test(host)) return new URL(url).host;
  const name = registeredName(host);
  return HOSTING.has(name) ? host : name;
}

const AGENCY =
  "Reuters|AP|Associated\\sPress|AFP|Agence\\sFrance-Presse|DPA|dpa|EFE|Europa\\sPress|ANSA|Adnkronos|Lusa|Xinhua|TASS|Interfax|Kyodo|Bloomberg|UPI|PTI|APA|SID|SDA|Anadolu|Press\\sAssociation";
const NAME = "(?:\\p{Lu}[\\p{L}\\d&'’.-]*)(?:\\s\\p{Lu}[\\p{L}\\d&'’-]*){0,4}";
const MEDIUM =
  "Press|News|Agency|Wire|Times|Post|Herald|Tribune|Gazette|Journal|Observer|Courier|Chronicle|Radio|TV|Nachrichten\\p{L}*|Agentur|Zeitung|Agence|Presse|Agencia|Agência|Agenzia|Prensa|Stampa|Diario|Giornale|Jornal";

/** The ways in which a text names the medium that it repeats. Each has the name as its only group. */
const CITATIONS: readonly RegExp[] = [
  new RegExp(`(?<![\\p{L}])(${AGENCY})(?![\\p{L}])`, "gu"),
  // "HARBOUR CITY (Wire) - The governor ...".
  /(?:^|\n)\s*\p{Lu}[\p{L} .,]{1,40}\((\p{Lu}[\p{L} ]{1,30})\)\s*[-–—:]/gu,
  new RegExp(
    `(?:\\bciting|(?:first|as|originally)\\sreported\\sby|Source:|Quelle:|Fuente:|Fonte:|unter\\sBerufung\\sauf(?:\\sdie)?|citant)\\s(?:the\\s)?(${NAME})`,
    "gu",
  ),
  new RegExp(
    `(?:according\\sto|laut(?:\\sder)?|selon|según|secondo|segundo)\\s(?:the\\s|l['’]|la\\s|a\\s|o\\s)?((?:\\p{Lu}[\\p{L}&'’.-]*\\s){0,3}(?:${MEDIUM})(?![\\p{L}])(?:\\s\\p{Lu}\\p{L}+)?)`,
    "gu",
  ),
  new RegExp(
    `((?:\\p{Lu}[\\p{L}&'’.-]*\\s){1,3}(?:${MEDIUM})|(?:${MEDIUM})(?:\\s\\p{Lu}\\p{L}+){1,2})\\s(?:reported|reports|said|wrote|was\\stold|meldet|berichtet|rapporte|informó|informa|riporta|noticiou|informou)(?![\\p{L}])`,
    "gu",
  ),
];
/** Characters at the beginning and at the end of a page that may name the origin of its text. */
const DATELINE = 400;

/** The media that a page gives as the origin of what it says, in lower case. A name in the question is its subject. */
export function originsOf({ names }: Plan, { text }: Source, quotes: readonly string[]): string[] {
  const found = new Set<string>();
  for (const part of [text.slice(0, DATELINE), text.slice(-DATELINE), ...quotes]) {
    for (const citation of CITATIONS) {
      for (const [, name = ""] of part.matchAll(citation))
        found.add(
          name
            .toLowerCase()
            .replace(/^the\s/u, "")
            .trim(),
        );
    }
  }
  return [...found].filter((name) => wordsOf(name).some(({ stem }) => !names.includes(stem)));
}
