import { type Taken } from "../../store/jobs/job-store.ts";
import { NEARLY_EQUAL } from "../extraction/sketch.ts";
import { type LoadedPage } from "./crawl-order.ts";
import { percentDecoded } from "../../lib/http/percent.ts";

/** Hosts of a job that one service asks for a random address. Pages of further hosts are delivered. */
const MAX_PROBED = 1_000;
/** Words that a page has beyond those of the page at a random address: a number, or a share of its words. */
const MAX_OTHER_WORDS = 3;
const MAX_OTHER_SHARE = 0.1;
/** Links of a page whose words are left out. */
const MAX_LINKS = 500;
/** Characters of a page that are searched and compared. */
const MAX_LENGTH = 20_000;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Sentences of pages that do not exist, in the languages of most sites. */
const SAYS_SO =
  /\b404\b|not (?:be )?found|(?:can['’]?t|cannot|could(?:n['’]t| not)) find|does(?:n['’]t| not) exist|no longer (?:available|exists?)|nicht gefunden|existiert nicht|introuvable|n['’]existe pas|no encontrad|no existe|non (?:è stata )?trovat|non esiste|não (?:foi )?encontrad|não existe|niet gevonden|nie znaleziono|nie istnieje|не найден|не существует|bulunamadı|hittades inte|ikke fun[dn]et|不存在|未找到|找不到|見つかりません|存在しません|찾을 수 없|존재하지 않/iu;

/** Loads a page of the host of the taken address. */
type Load = (url: URL, taken: Taken) => Promise<LoadedPage | undefined>;

/**
 * Finds pages with the status 200 that only say that they do not exist. A page that says so is compared with the page of a
 * random address beside it. Each host gets one such request, when it has the first page that says so.
 */
export class Soft404 {
  readonly #name: string;
  readonly #load: Load;
  readonly #probes = new Map<string, Promise<LoadedPage | undefined>>();

  /** `job` is a random name. `load` resolves with undefined if the site does not allow or deliver the page. */
  constructor(job: string, load: Load) {
    this.#name = Bun.hash.xxHash64(job).toString(36);
    this.#load = load;
  }

  async is(taken: Taken, page: LoadedPage): Promise<boolean> {
    if (new URL(taken.url).pathname === "/" || !SAYS_SO.test(page.content.slice(0, MAX_LENGTH))) return false;
    const probe = await this.#probe(taken);
    return probe !== undefined && SAYS_SO.test(probe.content.slice(0, MAX_LENGTH)) && isLike(page, probe);
  }

  #probe(taken: Taken): Promise<LoadedPage | undefined> {
    const known = this.#probes.get(taken.host);
    if (known !== undefined) return known;
    if (this.#probes.size >= MAX_PROBED) return Promise.resolve(undefined);
    const url = new URL(this.#name, taken.url);
    // A site that redirects unknown addresses has no page that says so.
    const probe = this.#load(url, taken).then((page) => (page?.finalUrl === url.href ? page : undefined));
    this.#probes.set(taken.host, probe);
    return probe;
  }
}

function isLike(page: LoadedPage, probe: LoadedPage): boolean {
  const [sketch, other] = [sketchOf(page), sketchOf(probe)];
  if (sketch.filter((group, at) => group === other[at]).length >= NEARLY_EQUAL) return true;
  const addresses = new Set([page, probe].flatMap(addressesOf).flatMap((url) => split(percentDecoded(url))));
  const [words, others] = [wordsOf(page, addresses), wordsOf(probe, addresses)];
  const most = Math.max(MAX_OTHER_WORDS, MAX_OTHER_SHARE * Math.min(words.length, others.length));
  return beyond(words, others) <= most && beyond(others, words) <= most;
}

function sketchOf({ fields }: LoadedPage): readonly unknown[] {
  const sketch = fields?.["sketch"];
  return Array.isArray(sketch) ? sketch : [];
}

/**
 * The address of a page, and those of its links. Pages that do not exist repeat their own, and often suggest others, whose names are
 * mostly in their addresses: without this, a site that suggested other pages each time had 388 of 400 such pages delivered.
 */
function addressesOf({ finalUrl, fields }: LoadedPage): readonly string[] {
  const links = fields?.["links"];
  return [finalUrl, ...(Array.isArray(links) ? links.slice(0, MAX_LINKS).map(String) : [])];
}

/** The words of a page without numbers, and without those of the addresses. */
function wordsOf({ content }: LoadedPage, addresses: ReadonlySet<string>): string[] {
  return split(content.slice(0, MAX_LENGTH)).filter((word) => !addresses.has(word) && !/\p{N}/u.test(word));
}

function split(text: string): string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

/** Words that are not among `others`, or not as often. */
function beyond(words: readonly string[], others: readonly string[]): number {
  const left = new Map<string, number>();
  for (const word of others) left.set(word, (left.get(word) ?? 0) + 1);
  let count = 0;
  for (const word of words) {
    const rest = left.get(word) ?? 0;
    if (rest === 0) count += 1;
    else left.set(word, rest - 1);
  }
  return count;
}
