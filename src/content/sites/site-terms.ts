import { TurnpikeError } from "../../lib/errors.ts";
import { NewestMap } from "../../lib/memory/newest-map.ts";
import { parsedJson } from "../../lib/parsed-json.ts";
import { type AiTerms, type AiUse, deniedUse, tdmTerms, termsOfFields } from "../page/ai-terms.ts";
import { FETCH_TIMEOUT_MS, type SiteFetch } from "./robots-file.ts";
import { robotsPattern } from "./robots.ts";
import { type RobotsFiles } from "./robots-files.ts";
import { deniedUses, readRsl } from "./rsl.ts";
import { untilAborted, webGet } from "./web-get.ts";

/** Files with terms that are kept, and their bytes. A longer one counts as absent. */
const MAX_FILES = 2_000;
const MAX_FILE_BYTES = 512 * 1024;
/** Rules of a TDM file that are used. */
const MAX_RULES = 1_000;
/** Milliseconds for which a file is used. @bound */
const FRESH_MS = 12 * 3_600_000;

/** The terms of one site, or of one licence, by the address of a page. */
type TermsOf = (url: URL) => AiTerms;

interface KeptTerms {
  readonly made: Promise<TermsOf>;
  /** Undefined until the file has come. */
  terms: TermsOf | undefined;
  readonly until: number;
}

/** The response that a page came in. */
export interface Answered {
  readonly finalUrl: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** Settings of `SiteTerms`. `now` gives monotonic milliseconds. */
export interface SiteTermsOptions {
  readonly robots: RobotsFiles;
  readonly fetch: Omit<SiteFetch, "signal">;
  /** Uses that are made of pages. A page whose site denies one of them is refused. */
  readonly uses: readonly AiUse[];
  readonly now: () => number;
}

/**
 * The terms of sites for the use of their pages by AI. If the operator honours them, the files of a site are fetched
 * before its page. Otherwise only crawls fetch them.
 */
export class SiteTerms {
  readonly #options: SiteTermsOptions;
  readonly #files = new NewestMap<string, KeptTerms>(MAX_FILES);

  constructor(options: SiteTermsOptions) {
    this.#options = options;
  }

  /** Throws `page-terms` if the files of a site deny a use of a page. */
  async assert(url: URL, signal: AbortSignal | undefined): Promise<void> {
    if (this.#options.uses.length > 0) this.#check(await this.#ofSite(url, signal));
  }

  /**
   * The terms for a page that was loaded: those in the page before those in its header fields, and these before those of
   * the site. Throws `page-terms` if they deny a use. `asks`: the files of the site are fetched if they are not known.
   */
  async of(
    { finalUrl, headers }: Answered,
    inPage: AiTerms,
    asks: boolean,
    signal: AbortSignal | undefined,
  ): Promise<AiTerms> {
    const url = new URL(finalUrl);
    if (!/^https?:$/.test(url.protocol)) return {};
    const isHonoured = this.#options.uses.length > 0;
    const ofSite = asks || isHonoured ? await this.#ofSite(url, signal) : this.#known(url);
    const terms = { ...ofSite, ...termsOfFields(headers, finalUrl), ...inPage };
    const { license } = terms;
    const hasOther = isHonoured && license !== undefined && license !== ofSite.license;
    const all = hasOther ? { ...terms, ...(await this.#ofLicense(license, signal))(url) } : terms;
    this.#check(all);
    return all;
  }

  #check(terms: AiTerms): void {
    const use = deniedUse(terms, this.#options.uses);
    if (use !== undefined)
      throw new TurnpikeError("page-terms", `Cannot load the page: the terms of its site deny the use ${use}`);
  }

  async #ofSite(url: URL, signal: AbortSignal | undefined): Promise<AiTerms> {
    const { robots, uses } = this.#options;
    const [rules, file] = await Promise.all([
      robots.of(url, signal ?? NEVER),
      this.#file(new URL("/.well-known/tdmrep.json", url).href, signal, tdmTermsOf),
    ]);
    const { terms } = rules;
    const license =
      uses.length > 0 && terms.license !== undefined ? await this.#ofLicense(terms.license, signal) : none;
    return { ...file(url), ...terms, ...license(url) };
  }

  /** The terms in the files that have come already. */
  #known(url: URL): AiTerms {
    const file = this.#files.get(new URL("/.well-known/tdmrep.json", url).href);
    return { ...file?.terms?.(url), ...this.#options.robots.known(url)?.terms };
  }

  #ofLicense(license: string, signal: AbortSignal | undefined): Promise<TermsOf> {
    return this.#file(license, signal, licenseTermsOf);
  }

  async #file(
    address: string,
    signal: AbortSignal | undefined,
    read: (text: string, base: string) => TermsOf,
  ): Promise<TermsOf> {
    let kept = this.#files.get(address);
    if (kept === undefined || kept.until <= this.#options.now()) {
      kept = { made: this.#fetch(address, read), terms: undefined, until: this.#options.now() + FRESH_MS };
      this.#files.set(address, kept);
    }
    return (kept.terms = await untilAborted(kept.made, signal ?? NEVER).catch(() => none));
  }

  async #fetch(address: string, read: (text: string, base: string) => TermsOf): Promise<TermsOf> {
    const { egress, userAgent } = this.#options.fetch;
    const response = await webGet({
      url: new URL(address),
      headers: { accept: "application/json,application/rsl+xml,application/xml", "user-agent": userAgent },
      maxBytes: MAX_FILE_BYTES,
      egress,
      redirects: "any-origin",
      signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
    }).catch(() => undefined);
    return response?.status === 200 ? read(new TextDecoder().decode(response.body), address) : none;
  }
}

const NEVER = new AbortController().signal;

function none(): AiTerms {
  return {};
}

/** One rule of `/.well-known/tdmrep.json`. */
interface TdmRule {
  readonly matches: (path: string) => boolean;
  readonly terms: AiTerms;
}

/** Reads a `/.well-known/tdmrep.json`. Rules that are not valid are skipped. */
function readTdmFile(value: unknown, base: string): TdmRule[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_RULES).flatMap((rule: unknown) => {
    // Its members are checked one by one.
    const { location, ...said } = (typeof rule === "object" && rule !== null ? rule : {}) as Record<string, unknown>;
    const matches = typeof location === "string" ? robotsPattern(location) : undefined;
    const policy = said["tdm-policy"];
    const terms = tdmTerms(
      String(said["tdm-reservation"]),
      typeof policy === "string" ? policy : undefined,
      undefined,
      base,
    );
    return matches === undefined || terms.tdm_reserved === undefined ? [] : [{ matches, terms }];
  });
}

function tdmTermsOf(text: string, base: string): TermsOf {
  const rules = readTdmFile(parsedJson(text), base);
  return ({ pathname, search }) => rules.find(({ matches }) => matches(pathname + search))?.terms ?? {};
}

function licenseTermsOf(text: string, base: string): TermsOf {
  const licenses = readRsl(text, base);
  return (url) => {
    const denied = deniedUses(licenses, url);
    return denied.length === 0 ? {} : { license_denies: denied };
  };
}
