import { type AiTerms } from "../page/ai-terms.ts";

/** Characters of a file that are read. RFC 9309 §2.5 asks for 500 KiB at least. A line that is cut counts for nothing. */
const MAX_ROBOTS_CHARACTERS = 512_000;
/** The crawler's product token in robots.txt. */
export const CRAWLER_TOKEN = "turnpike";
/** Rules and sitemaps of a file that are used. Further ones are ignored. */
const MAX_RULES = 5_000;
const MAX_SITEMAPS = 100;
/** Maximum number of characters and stars in a rule's pattern. A longer pattern is ignored. */
const MAX_PATTERN = 2_048;
const MAX_STARS = 20;

interface Rule {
  readonly allow: boolean;
  readonly parts: readonly string[];
  readonly anchored: boolean;
  readonly length: number;
}

/** The rules of a site's robots.txt for one crawler. */
export interface Robots {
  /** False if the file could not be fetched for now, so its rules are unknown. */
  readonly known: boolean;
  /** Why the rules are unknown, if the request failed. */
  readonly failure?: unknown;
  /** Seconds between requests that the site asks for. Undefined if it does not ask for a delay. */
  readonly crawlDelay: number | undefined;
  readonly sitemaps: readonly string[];
  /** Its content signals for the crawler, and the address of its RSL licence. */
  readonly terms: Pick<AiTerms, "signals" | "license">;
  /** Whether the path, with its query, may be fetched. */
  allows(path: string): boolean;
}

/** RFC 9309 §2.3.1.3: if the server has no such file, everything is allowed. */
export const ALLOW_ALL: Robots = { known: true, crawlDelay: undefined, sitemaps: [], terms: {}, allows: () => true };
/** RFC 9309 §2.3.1.4: if the server fails to deliver the file, everything is forbidden. */
export const ALLOW_NONE: Robots = { known: false, crawlDelay: undefined, sitemaps: [], terms: {}, allows: () => false };

interface Group {
  readonly agents: string[];
  readonly rules: Rule[];
  readonly signals: Record<string, boolean>;
  crawlDelay: number | undefined;
}

/** Reads a robots.txt (RFC 9309) for the crawler with this product token. Invalid lines are skipped. */
export function parseRobots(text: string, agent: string): Robots {
  const groups: Group[] = [];
  const sitemaps: string[] = [];
  let license: string | undefined;
  let group: Group | undefined;
  let inAgents = false;
  let rules = 0;
  const lines = text
    .slice(0, MAX_ROBOTS_CHARACTERS)
    .replace(/^\ufeff/, "")
    .split(/\r\n|\r|\n/);
  if (text.length > MAX_ROBOTS_CHARACTERS) lines.pop();
  for (const line of lines) {
    const bare = line.split("#", 1)[0] ?? "";
    const colon = bare.indexOf(":");
    if (colon < 0) continue;
    const name = bare.slice(0, colon).trim().toLowerCase();
    const value = bare.slice(colon + 1).trim();
    if (name === "sitemap" && sitemaps.length < MAX_SITEMAPS) sitemaps.push(value);
    if (name === "user-agent") {
      if (!inAgents || group === undefined) {
        group = { agents: [], rules: [], signals: {}, crawlDelay: undefined };
        groups.push(group);
      }
      group.agents.push(productToken(value));
      inAgents = true;
      continue;
    }
    if (name === "license" && /^https?:/i.test(value)) license ??= value.slice(0, MAX_PATTERN);
    // Sitemaps and licences do not belong to groups.
    if (group === undefined || name === "sitemap" || name === "license") continue;
    inAgents = false;
    if (name === "crawl-delay") group.crawlDelay = delayOf(value) ?? group.crawlDelay;
    if (name === "content-signal") Object.assign(group.signals, signalsOf(value));
    const rule = name === "allow" || name === "disallow" ? ruleOf(name === "allow", value) : undefined;
    if (rule === undefined || rules >= MAX_RULES) continue;
    rules += 1;
    group.rules.push(rule);
  }
  return robotsOf(groupsFor(groups, agent.toLowerCase()), sitemaps, license);
}

/** §2.2.1: all groups that name the crawler are merged. If there is no such group, those for all crawlers apply. */
function groupsFor(groups: readonly Group[], agent: string): readonly Group[] {
  const own = groups.filter(({ agents }) => agents.includes(agent));
  return own.length > 0 ? own : groups.filter(({ agents }) => agents.includes("*"));
}

function robotsOf(groups: readonly Group[], sitemaps: readonly string[], license: string | undefined): Robots {
  // §2.2.2: the longest match counts. If two are equally long, the permission counts.
  const rules = groups
    .flatMap((group) => group.rules)
    .toSorted((a, b) => b.length - a.length || Number(b.allow) - Number(a.allow));
  const signals: Record<string, boolean> = Object.assign({}, ...groups.map((group) => group.signals));
  return {
    known: true,
    crawlDelay: groups.find(({ crawlDelay }) => crawlDelay !== undefined)?.crawlDelay,
    sitemaps,
    terms: {
      ...(Object.keys(signals).length === 0 ? {} : { signals }),
      ...(license === undefined ? {} : { license }),
    },
    allows(path) {
      if (path === "/robots.txt") return true;
      const spelled = spelling(path);
      return rules.find((rule) => matches(rule, spelled))?.allow ?? true;
    },
  };
}

/** The content signals of a line: names with `yes` or `no`. Others make no statement. */
function signalsOf(value: string): Record<string, boolean> {
  const signals = value.split(",").flatMap((part) => {
    const [, name, said] = /^\s*(search|ai-input|ai-train)\s*=\s*(yes|no)\s*$/i.exec(part) ?? [];
    return name === undefined ? [] : [[name.toLowerCase(), said?.toLowerCase() === "yes"] as const];
  });
  return Object.fromEntries(signals);
}

/** Whether a path, with its query, matches a pattern of RFC 9309. Undefined if it is not a pattern. */
export function robotsPattern(value: string): ((path: string) => boolean) | undefined {
  const rule = ruleOf(true, value);
  return rule && ((path) => matches(rule, spelling(path)));
}

function productToken(value: string): string {
  return value === "*" || value.startsWith("* ") ? "*" : (/^[a-z_-]+/i.exec(value)?.[0] ?? "").toLowerCase();
}

function delayOf(value: string): number | undefined {
  return /^\d{1,6}(?:\.\d{1,6})?$/.test(value) ? Number(value) : undefined;
}

function ruleOf(allow: boolean, value: string): Rule | undefined {
  // An empty rule has no effect. A rule with another first character matches no path.
  if (value === "" || value.length > MAX_PATTERN || !/^[/*]/.test(value)) return undefined;
  const anchored = value.endsWith("$");
  const pattern = spelling(anchored ? value.slice(0, -1) : value);
  const parts = pattern.split(/\*+/);
  return parts.length > MAX_STARS ? undefined : { allow, parts, anchored, length: pattern.length };
}

/** Matches in linear time for each part: the first match of a part is enough, except for an anchored last part. */
function matches({ parts, anchored }: Rule, path: string): boolean {
  const [first = "", ...others] = parts;
  if (!path.startsWith(first)) return false;
  let at = first.length;
  for (const [index, part] of others.entries()) {
    if (anchored && index === others.length - 1) return path.length - part.length >= at && path.endsWith(part);
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return !anchored || others.length > 0 || at === path.length;
}

/** §2.2.2: decodes characters that need no escape and escapes all others, so that rule and path have the same spelling. */
function spelling(path: string): string {
  return path
    .replace(/%([\da-f]{2})/gi, (escape: string, hex: string) => {
      const character = String.fromCharCode(Number.parseInt(hex, 16));
      return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
    })
    .replace(/[^\x21-\x7e]/gu, (character) => (character.isWellFormed() ? encodeURIComponent(character) : ""));
}
