import { type Document, type Element, isTag } from "domhandler";
import { textContent } from "domutils";
import { isObject } from "../../../lib/is-object.ts";
import { dateIn, momentIn } from "./dates.ts";
import { declaredName, personNameOf } from "./people.ts";
import { shortText } from "./words.ts";
import { tolerantJson } from "../tree/tolerant-json.ts";
import { walkNodes } from "../tree/walk.ts";

/** JSON-LD scripts of a page, their characters, and their arrays and objects. JSON-LD beyond these is not read. */
const MAX_JSON_LD_SCRIPTS = 20;
const MAX_JSON_LD_LENGTH = 1_000_000;
const MAX_JSON_LD_NODES = 5_000;
/** Maximum number of characters of a name or a date. A longer value is text in the wrong field. */
const MAX_FIELD_LENGTH = 200;

const MAX_TITLE_LENGTH = 2000;

/** Names of `meta` elements with the date of the publication. */
const DATES = (
  "article:published_time og:article:published_time article:published datepublished date dc.date dc.date.issued " +
  "dcterms.date dcterms.created dcterms.issued pubdate publish-date publish_date publication_date parsely-pub-date " +
  "sailthru.date cxenseparse:recs:publishtime citation_publication_date citation_date"
).split(" ");
/** Names of `meta` elements with the author. */
const AUTHORS =
  "author byl article:author article:author_name dc.creator dcterms.creator creator citation_author citation_authors parsely-author sailthru.author".split(
    " ",
  );
/** Names that a page repeats for each of its authors. */
const ONE_FOR_EACH_AUTHOR = new Set(["citation_author", "dc.creator", "dcterms.creator"]);
/** Maximum number of elements of microdata that are searched for an author's name, and nodes of such an element. */
const MAX_AUTHORS = 20;
const MAX_NODES_OF_AN_AUTHOR = 100;
/** Minimum number of authors in the body. A page with at least this number declares the authors of its items. */
const MIN_AUTHORS_OF_ITEMS = 3;

/** Dublin Core's term for an author, in RDFa. */
const CREATOR = /^(?:dc|dcterms):creator$/i;

/** Maximum number of links to the start page whose texts are read, and of characters of their addresses. */
const MAX_HOMES = 20;
const MAX_HOME_LENGTH = 100;
/** The address of a start page, also with a folder for the language. */
const HOME =
  /^(?:(?:https?:)?\/\/[^/?#]+\/?|\/)(?:[a-z]{2}(?:[-_][a-z]{2})?\/?)?(?:(?:index|default|home)\.\w{2,5})?$/i;

export interface HomeLink {
  readonly href: string;
  readonly text: string;
}

/** A page's description of itself, outside of its visible content. */
export interface PageMetadata {
  readonly title: string;
  /** `og:title` or similar. */
  readonly socialTitle: string;
  readonly headline: string;
  readonly siteName: string;
  /** `og:type`, in lower case. */
  readonly socialType: string;
  /** The types of JSON-LD's outer objects and of microdata, with their counts. */
  readonly types: ReadonlyMap<string, number>;
  readonly byline: string | undefined;
  readonly published: string | undefined;
  /** Whether only elements of the body declare the author, and they name at least three. */
  readonly isOfItems: boolean;
  readonly language: string | undefined;
  /** Links that may lead to the site's start page. The addresses are those of the page. */
  readonly homes: readonly HomeLink[];
  /** As the page has it: it may be relative to the page's address. */
  readonly canonical: string | undefined;
  readonly image: string | undefined;
}

/** Reads the complete page's tree, before scripts are pruned. */
export function metadataOf(tree: Document): PageMetadata {
  const found = new FoundMetadata();
  walkNodes(tree, {
    enter(node) {
      if (isTag(node)) found.see(node);
      return true;
    },
  });
  return found.result();
}

type Thing = Readonly<Record<string, unknown>>;

class FoundMetadata {
  readonly #meta = new Map<string, string>();
  readonly #types = new Map<string, number>();
  readonly #texts = new Map<string, string>();
  #title: string | undefined;
  #language: string | undefined;
  #canonical: string | undefined;
  #byline: string | undefined;
  #time: string | undefined;
  readonly #homes: HomeLink[] = [];
  #authors = 0;
  readonly #names = new Set<string>();
  #scripts = 0;
  #nodes = 0;

  see(element: Element): void {
    const { name, attribs } = element;
    if (name === "meta") this.#seeMeta(attribs);
    else if (name === "title") this.#title ??= shortText(element, MAX_TITLE_LENGTH);
    else if (
      name === "link" &&
      this.#canonical === undefined &&
      /(?:^|\s)canonical(?:\s|$)/i.test(attribs["rel"] ?? "")
    ) {
      this.#canonical = addressOf(attribs["href"]);
    } else if (name === "html") this.#language = tagOf(attribs["lang"]) ?? tagOf(attribs["xml:lang"]);
    else if (name === "a") this.#seeLink(element);
    else if (name === "script" && attribs["type"]?.trim().toLowerCase() === "application/ld+json") {
      this.#seeJsonLd(element);
    }
    if (attribs["itemtype"] !== undefined) this.#count(attribs["itemtype"]);
    const property = attribs["itemprop"];
    if (name === "time" && (property === "datePublished" || attribs["pubdate"] !== undefined)) {
      this.#time ??= attribs["datetime"];
    }
    const isAuthor =
      attribs["rel"] === "author" ||
      property === "author" ||
      (name !== "meta" && CREATOR.test(attribs["property"] ?? ""));
    if (!isAuthor) return;
    if (++this.#authors > MAX_AUTHORS) return;
    const author = personNameOf(attribs["content"] ?? nameText(element) ?? "");
    this.#byline ??= author;
    if (author !== undefined) this.#names.add(author);
  }

  result(): PageMetadata {
    const first = (...names: readonly string[]): string | undefined =>
      names.map((name) => this.#meta.get(name)).find((value) => value !== undefined && value !== "");
    const isWriter = /^(?:written by|author|by)$/i.test(first("twitter:label1") ?? "");
    const authors = [...AUTHORS, ...(isWriter ? ["twitter:data1"] : [])].map((name) => this.#meta.get(name));
    const declared = [this.#texts.get("author"), ...authors].map(bylineOf).find((name) => name !== undefined);
    const published = this.#texts.get("datePublished") ?? first(...DATES);
    return {
      title: this.#title ?? "",
      socialTitle: first("og:title", "twitter:title", "dc.title") ?? "",
      headline: this.#texts.get("headline") ?? "",
      siteName: first("og:site_name", "application-name") ?? this.#texts.get("publisher") ?? "",
      socialType: first("og:type")?.toLowerCase() ?? "",
      types: this.#types,
      byline: declared ?? bylineOf(this.#byline),
      isOfItems: declared === undefined && this.#names.size >= MIN_AUTHORS_OF_ITEMS,
      published: dateOf(published ?? this.#time),
      canonical: this.#canonical ?? addressOf(first("og:url")),
      image: addressOf(
        first("og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src") ??
          this.#texts.get("image"),
      ),
      language:
        this.#language ??
        tagOf(first("og:locale", "content-language", "language")) ??
        tagOf(this.#texts.get("inLanguage")),
      homes: this.#homes,
    };
  }

  #seeMeta(attribs: Element["attribs"]): void {
    const key = (attribs["property"] ?? attribs["name"] ?? attribs["http-equiv"] ?? attribs["itemprop"])
      ?.toLowerCase()
      .replace(/^(dc|dcterms):/, "$1.");
    const content = attribs["content"]?.slice(0, MAX_TITLE_LENGTH).trim();
    if (key === undefined || content === undefined) return;
    const known = this.#meta.get(key);
    if (known === undefined) this.#meta.set(key, content);
    else if (ONE_FOR_EACH_AUTHOR.has(key)) this.#meta.set(key, withName(known, content));
  }

  #seeLink(element: Element): void {
    const { href = "" } = element.attribs;
    if (href === "" || href.length > MAX_HOME_LENGTH || this.#homes.length >= MAX_HOMES || !HOME.test(href)) return;
    const picture = element.children.find((child) => isTag(child) && child.name === "img");
    const text =
      shortText(element, MAX_FIELD_LENGTH) || (picture && isTag(picture) ? picture.attribs["alt"] : undefined);
    if (text !== undefined && text !== "") this.#homes.push({ href, text: text.slice(0, MAX_FIELD_LENGTH) });
  }

  #seeJsonLd(element: Element): void {
    const text = textContent(element);
    if (++this.#scripts > MAX_JSON_LD_SCRIPTS || text.length > MAX_JSON_LD_LENGTH) return;
    const queue: unknown[] = [tolerantJson(text)];
    const things: Thing[] = [];
    const names = new Map<unknown, unknown>();
    for (const thing of queue) {
      if (++this.#nodes > MAX_JSON_LD_NODES) break;
      if (Array.isArray(thing)) queue.push(...thing.slice(0, MAX_JSON_LD_NODES));
      else if (isObject(thing)) {
        things.push(thing);
        names.set(thing["@id"], thing["name"]);
        queue.push(thing["@graph"], thing["mainEntity"], thing["mainEntityOfPage"]);
      }
    }
    for (const thing of things) this.#seeThing(thing, names);
  }

  /** `names` has the names of the script's objects by their identifiers, which stand for them in other objects. */
  #seeThing(thing: Thing, names: ReadonlyMap<unknown, unknown>): void {
    const types = [thing["@type"]].flat().filter((type) => typeof type === "string");
    for (const type of types) this.#count(type);
    this.#keep("inLanguage", thing["inLanguage"]);
    this.#keep("datePublished", thing["datePublished"]);
    this.#keep("author", nameIn(thing["author"], names));
    this.#keep("publisher", nameIn(thing["publisher"], names));
    this.#keep("image", imageIn(thing["image"]));
    this.#keep("headline", thing["headline"] ?? (types.includes("Product") ? thing["name"] : undefined));
  }

  #keep(name: string, value: unknown): void {
    if (typeof value === "string" && value.trim() !== "" && !this.#texts.has(name)) this.#texts.set(name, value.trim());
  }

  #count(type: string): void {
    const name = type.slice(type.lastIndexOf("/") + 1).trim();
    this.#types.set(name, (this.#types.get(name) ?? 0) + 1);
  }
}

/** A list of names with one more, unless it has this name or no room. */
function withName(names: string, name: string): string {
  const separator = name.includes(",") ? "; " : ", ";
  const hasRoom = names.length + separator.length + name.length <= MAX_FIELD_LENGTH;
  return hasRoom && !names.split(separator).includes(name) ? names + separator + name : names;
}

/** The name of a person, or the names of several. */
function nameIn(value: unknown, byId: ReadonlyMap<unknown, unknown>): string | undefined {
  const names = [value]
    .flat()
    .slice(0, 10)
    .map((one) => (isObject(one) ? (one["name"] ?? byId.get(one["@id"])) : one))
    .filter((name) => typeof name === "string" && name.trim() !== "" && !name.startsWith("http"));
  return names.length === 0 ? undefined : names.join(", ");
}

/** The address of a picture, or of the first of several. */
function imageIn(value: unknown): unknown {
  const [image] = [value].flat();
  return isObject(image) ? image["url"] : image;
}

/** Maximum number of characters of an address. A longer one contains the picture itself. */
const MAX_ADDRESS_LENGTH = 1000;

function addressOf(text: string | undefined): string | undefined {
  const address = text?.trim() ?? "";
  return address === "" || address.length > MAX_ADDRESS_LENGTH || address.startsWith("data:") ? undefined : address;
}

function bylineOf(text: string | undefined): string | undefined {
  if (text === undefined || text.length > MAX_FIELD_LENGTH || text.startsWith("http")) return undefined;
  return declaredName(text);
}

/** The name of a person in microdata, without the rank and the numbers beside it. */
function nameText(element: Element): string | undefined {
  let named: Element | undefined;
  let nodes = 0;
  walkNodes(element, {
    enter(node) {
      nodes += 1;
      if (node !== element && isTag(node) && node.attribs["itemprop"] === "name") named = node;
      return named === undefined && nodes < MAX_NODES_OF_AN_AUTHOR ? true : "stop";
    },
  });
  return named?.attribs["content"] ?? shortText(named ?? element, MAX_FIELD_LENGTH);
}

/** A date in the extended format of ISO 8601, with the time and the offset if the text has them. */
function dateOf(text: string | undefined): string | undefined {
  const date = text?.trim();
  if (date === undefined || date.length > 40) return undefined;
  const moment = momentIn(date);
  if (moment !== undefined) return moment;
  if (/^\d{4}-\d\d$/.test(date)) return Number.isNaN(Date.parse(date)) ? undefined : date;
  return dateIn(date, "en-us");
}

function tagOf(text: string | undefined): string | undefined {
  const tag = text?.trim().replaceAll("_", "-");
  return tag !== undefined && /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}$/.test(tag) ? tag : undefined;
}
