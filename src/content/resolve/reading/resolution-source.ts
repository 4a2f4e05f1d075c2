import { type ResolutionSource } from "./analysis.ts";

const NAMED =
  /(?:resolution\ssource\s(?:for\sthis\smarket\s)?(?:is|will\sbe|:)|resolution\ssource:|resolves?\s(?:solely\s|only\s)?(?:based\son|according\sto|per|using)|according\sto|as\s(?:reported|published|announced|stated|shown|listed|confirmed)\s(?:by|on|at)|based\son\s(?:data|information|figures|results)\s(?:from|of|by)|official\s(?:data|information|results?|figures|statistics|website|announcements?)\s(?:from|of|by)|source\sof\s(?:truth|resolution)\s(?:is|will\sbe|:)|settled?\s(?:by|on|according\sto)|laut|selon|según)\s(?:the\s|an?\s|official\s|data\s|website\s|site\s|from\s|of\s|by\s|der\s|des\s|dem\s|la\s|le\s|el\s)*/giu;
const HOST = /^(?:https?:\/\/)?((?:[a-z0-9-]+\.)+[a-z]{2,12})(?:[/\s,;:)]|\.?$|\.\s)/iu;
const NAME =
  /^((?:\p{Lu}(?:[\p{L}\p{M}\d&'’-]|\.(?=\p{L}))*)(?:\s(?:of|for|and|the|de|du|des|für|&)(?=\s(?:[a-z]+\s)?\p{Lu})|\s\p{Lu}[\p{L}\p{M}\d&'’-]*)*)/u;
const ANY_HOST =
  /\bhttps?:\/\/((?:[a-z0-9-]+\.)+[a-z]{2,12})|(?<![\p{L}\d@.-])((?:[a-z0-9-]{2,}\.)+[a-z]{2,12})(?![\p{L}\d-]|\.\p{L})/u;

/** Capitalized words that begin a sentence or name no source. */
const NO_NAME = /^(?:The|This|If|It|Market|Yes|No|Credible|Official|Media|UTC|ET)$/iu;

/** Hosts that do not contain the name of their source. */
const HOSTS: ReadonlyMap<string, string> = new Map([
  ["associated press", "apnews.com"],
  ["ap", "apnews.com"],
  ["bureau of labor statistics", "bls.gov"],
  ["bureau of economic analysis", "bea.gov"],
  ["national weather service", "weather.gov"],
  ["european central bank", "ecb.europa.eu"],
  ["supreme court", "supremecourt.gov"],
  ["white house", "whitehouse.gov"],
  ["federal reserve", "federalreserve.gov"],
  ["new york times", "nytimes.com"],
  ["wall street journal", "wsj.com"],
  ["world health organization", "who.int"],
  ["united nations", "un.org"],
  ["statistisches bundesamt", "destatis.de"],
  ["office for national statistics", "ons.gov.uk"],
  ["box office mojo", "boxofficemojo.com"],
]);

/** The source that the criteria name. If they name no source, the one that the question names. */
export function resolutionSourceOf(question: string, criteria: string): ResolutionSource | undefined {
  for (const text of [criteria, question]) {
    for (const match of text.matchAll(NAMED)) {
      const rest = text.slice(match.index + match[0].length, match.index + match[0].length + 120);
      const host = HOST.exec(rest)?.[1]
        ?.toLowerCase()
        .replace(/^www\./, "");
      if (host !== undefined) return { name: host, host };
      const name = NAME.exec(rest)?.[1]?.replace(/\.$/, "");
      if (name === undefined || NO_NAME.test(name)) continue;
      // "the Supreme Court (court.example)": an address in the same sentence
      const [, address, bare] = ANY_HOST.exec(rest.split(/[.!?]\s/u)[0] ?? "") ?? [];
      return { name, host: (address ?? bare ?? HOSTS.get(name.toLowerCase()))?.toLowerCase().replace(/^www\./, "") };
    }
    const [, address, bare] = ANY_HOST.exec(text) ?? [];
    const plain = (address ?? bare)?.toLowerCase().replace(/^www\./, "");
    if (plain !== undefined) return { name: plain, host: plain };
  }
  return undefined;
}

/** Public suffixes of two parts. Only those of likely resolution sources are listed. */
const TWO_PART = /\.(?:gov|co|org|ac|gob|gouv|com|net|edu)\.[a-z]{2}$/;

/**
 * Whether a page belongs to the source: its host is the source's, or its registered name is the source's name or
 * initials.
 */
export function isOf(source: ResolutionSource, url: string): boolean {
  const host = hostOf(url);
  if (host === undefined) return false;
  if (source.host !== undefined) return host === source.host || host.endsWith(`.${source.host}`);
  const own = registeredName(host);
  const words = source.name
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== "" && !/^(?:of|for|and|the|de|du|des)$/.test(word));
  const names = new Set([
    words.join(""),
    words.join("-"),
    words.length > 1 ? words.map((word) => word[0]).join("") : "",
  ]);
  names.delete("");
  return names.has(own);
}

/** The label of a host that its owner registered: "bbc" for "news.bbc.co.uk". */
export function registeredName(host: string): string {
  const labels = host.toLowerCase().split(".");
  return labels.at(TWO_PART.test(host) ? -3 : -2) ?? labels[0] ?? host;
}

/** The host of an address without "www.". Undefined if the address is invalid. */
export function hostOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname.toLowerCase().replace(/^www\./, "") : undefined;
}
