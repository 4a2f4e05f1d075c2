import { Parser } from "htmlparser2";
import { AI_USES, type AiUse } from "../page/ai-terms.ts";
import { robotsPattern } from "./robots.ts";

/** Licences of a document that are used. Further ones are ignored. */
const MAX_LICENSES = 1_000;
/** Terms of payment for which a licence grants its uses to each client. */
const FREE = new Set(["free", "attribution"]);

/** One licence of an RSL document, for the paths that match. */
export interface RslLicense {
  readonly matches: (url: URL) => boolean;
  /** Undefined: all uses that are not prohibited. */
  permits: string[] | undefined;
  readonly prohibits: string[];
  isFree: boolean;
}

/** Reads an RSL document (Really Simple Licensing 1.0). `base` is its address. */
export function readRsl(xml: string, base: string): RslLicense[] {
  const licenses: RslLicense[] = [];
  let matches: RslLicense["matches"] | undefined;
  let license: RslLicense | undefined;
  let uses: string[] | undefined;
  let text = "";
  const parser = new Parser(
    {
      onopentag(name, { url, type }) {
        text = "";
        if (name === "content") matches = matcherOf(url ?? "", base);
        if (name === "license" && matches !== undefined && licenses.length < MAX_LICENSES) {
          license = { matches, permits: undefined, prohibits: [], isFree: true };
          licenses.push(license);
        }
        if (license === undefined) return;
        if (name === "permits" && type === "usage") uses = license.permits ??= [];
        if (name === "prohibits" && type === "usage") uses = license.prohibits;
        if (name === "payment") license.isFree &&= FREE.has(type ?? "free");
      },
      ontext(part) {
        text += uses === undefined ? "" : part;
      },
      onclosetag(name) {
        if (name === "permits" || name === "prohibits") {
          uses?.push(...text.split(/[\s,]+/).filter((word) => word !== ""));
          uses = undefined;
        }
        if (name === "license") license = undefined;
        if (name === "content") matches = undefined;
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return licenses;
}

/** The uses of a page that no licence of a document grants for free. Empty if none of them is about the page. */
export function deniedUses(licenses: readonly RslLicense[], url: URL): AiUse[] {
  const own = licenses.filter(({ matches }) => matches(url));
  if (own.length === 0) return [];
  return AI_USES.filter((use) => use !== "tdm" && !own.some((license) => grants(license, use)));
}

function grants({ permits, prohibits, isFree }: RslLicense, use: AiUse): boolean {
  const names = ["all", use, ...(use.startsWith("ai-") ? ["ai-all"] : [])];
  const has = (list: readonly string[]) => names.some((name) => list.includes(name));
  return isFree && !has(prohibits) && (permits === undefined || has(permits));
}

/** A full URL or a path, both with the signs of RFC 9309. */
function matcherOf(pattern: string, base: string): RslLicense["matches"] | undefined {
  const [, origin = "", path = ""] = /^(https?:\/\/[^/]*)?(.*)$/is.exec(pattern) ?? [];
  const own = URL.parse(origin === "" ? base : origin)?.origin;
  const matches = robotsPattern(path === "" ? "/" : path);
  if (own === undefined || matches === undefined) return undefined;
  return (url) => url.origin === own && matches(url.pathname + url.search);
}
