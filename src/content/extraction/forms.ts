import { type ChildNode, type Document, type Element, isTag } from "domhandler";
import { serialize } from "parse5";
import { adapter } from "parse5-htmlparser2-tree-adapter";
import { type Sight } from "../page/page.ts";
import { type FormsTask, type NamedAddress, type PageForms } from "./tree/extraction.ts";
import { linkText } from "./links.ts";
import { summaryForms } from "./summary.ts";
import { schemaFields } from "./schema-fields/schema-outcome.ts";
import { toText } from "./text.ts";
import { walkNodes } from "./tree/walk.ts";
import { Addresses, withoutFragment } from "./tree/addresses.ts";
import { imageSource } from "./tree/images.ts";
import { type InlinePictures } from "./inline-pictures.ts";
import { prepare } from "./tree/prune.ts";
import { replaceChildren } from "./tree/relink.ts";
import { parseSelector } from "./selectors/parse-selector.ts";
import { DocumentElements, elementsOf } from "./selectors/select-all.ts";
import { articleOf } from "./reader/read-article.ts";
import { pageTitle } from "./tree/page-title.ts";
import { bodyOf } from "./reader/words.ts";

/** Links and pictures of a page, and values of an attribute. Further ones are left out. @operator */
const MAX_LIST = 10_000;
/** `meta` elements that are returned, and characters of a name and of a value. */
const MAX_META = 200;
const MAX_META_NAME = 100;
const MAX_META_LENGTH = 5_000;

/** A page whose forms are made. `isArticle`: only its main content. */
interface Page {
  readonly html: string;
  /** Parses it to a new tree, also with the marks of a browser. */
  readonly parse: (withMarks?: boolean) => Document;
  readonly sight?: Sight | undefined;
  readonly url: string;
  readonly isArticle: boolean;
  /** The pictures with data that are kept; undefined: they are left out. */
  readonly inline?: InlinePictures | undefined;
}

/** Further forms of a page beside its content. */
export function formsOf({ html, parse, sight, url, isArticle, inline }: Page, task: FormsTask): PageForms {
  const json = task.json === undefined ? {} : { json: schemaFields({ tree: parse(true), url, sight }, task.json) };
  const tree = parse();
  const meta = metaOf(tree);
  keepParts(tree, task);
  const attributes = attributesOf(tree, task);
  inline?.hide(tree);
  const addresses = new Addresses(tree, url);
  const wants = (name: FormsTask["names"][number]) => task.names.includes(name);
  const list = (from: (element: Element) => NamedAddress | undefined): readonly NamedAddress[] => {
    const found = new Map<string, NamedAddress>();
    for (const element of elementsOf(tree)) {
      const one = from(element);
      // The first text that is not empty counts.
      if (one !== undefined && (found.get(one.url)?.text ?? "") === "") found.set(one.url, one);
      if (found.size === MAX_LIST) break;
    }
    return [...found.values()];
  };
  const linkOf = (element: Element): NamedAddress | undefined => {
    const { name, attribs } = element;
    const href = name === "a" || name === "area" ? attribs["href"]?.trim() : undefined;
    const address = href === undefined || href.startsWith("#") ? undefined : addresses.link(href);
    return address === undefined ? undefined : { url: withoutFragment(address), text: linkText(element) };
  };
  const pictureOf = (element: Element): NamedAddress | undefined => {
    const source = element.name === "img" ? imageSource(element) : undefined;
    const address = source === undefined ? undefined : addresses.media(source);
    const text = (element.attribs["alt"] ?? "").slice(0, MAX_META_LENGTH).trim();
    return address === undefined ? undefined : { url: address, text };
  };
  return {
    meta,
    attributes,
    ...json,
    ...(wants("links") ? { links: list(linkOf) } : {}),
    ...(wants("images") ? { images: list(pictureOf) } : {}),
    ...(wants("rawHtml") ? { rawHtml: html } : {}),
    ...writtenForms({ tree, url, isArticle }, task, wants),
  };
}

/** The forms that are written from the content. Changes the tree. */
function writtenForms(
  { tree, url, isArticle }: Pick<Page, "url" | "isArticle"> & { readonly tree: Document },
  { withSummaryText: withText }: FormsTask,
  wants: (name: FormsTask["names"][number]) => boolean,
): Partial<PageForms> {
  const isShown = wants("html") || wants("text");
  const read = (isArticle && isShown) || wants("summary") ? articleOf(tree, url) : undefined;
  const summary =
    read !== undefined && wants("summary")
      ? summaryForms(toText(read.article), { title: read.title, language: read.metadata.language, withText })
      : {};
  if (!isShown) return summary;
  if (!isArticle) prepare(tree, url);
  const shown = isArticle && read !== undefined ? read.article : bodyOf(tree);
  const text = wants("text") ? { text: toText(shown) } : {};
  dropInlinePictures(shown);
  return { ...summary, ...text, ...(wants("html") ? { html: serialize(shown, { treeAdapter: adapter }).trim() } : {}) };
}

const PICTURE_ADDRESSES = ["src", "srcset", "href", "xlink:href", "poster", "data"];

/** Removes the attributes with data of pictures. */
function dropInlinePictures(root: Document | Element): void {
  walkNodes(root, {
    enter(node) {
      if (!isTag(node)) return true;
      for (const name of PICTURE_ADDRESSES) {
        if (/^\s*data:/i.test(node.attribs[name] ?? "")) delete node.attribs[name];
      }
      return true;
    },
  });
}

/** Leaves only the elements of `include`, if there are any, without those of `exclude`. Changes the tree. */
export function keepParts(tree: Document, { include, exclude }: Pick<FormsTask, "include" | "exclude">): void {
  if (exclude.length > 0) {
    const unwanted = new Set<ChildNode>(matching(tree, exclude));
    for (const parent of new Set([...unwanted].map((element) => element.parent))) {
      if (parent !== null)
        replaceChildren(
          parent,
          parent.children.filter((child) => !unwanted.has(child)),
        );
    }
  }
  if (include.length === 0) return;
  const wanted = new Set(matching(tree, include));
  const outer = [...wanted].filter((element) => !ancestorsOf(element).some((one) => wanted.has(one)));
  replaceChildren(bodyOf(tree), outer);
}

function ancestorsOf(element: Element): Element[] {
  const ancestors: Element[] = [];
  for (let at = element.parent; at !== null && "name" in at; at = at.parent) ancestors.push(at);
  return ancestors;
}

/** The elements that match any of the selectors, which the caller has checked. */
function matching(tree: Document, selectors: readonly string[]): readonly Element[] {
  const list = selectors.flatMap((selector) => {
    const parsed = parseSelector(selector);
    return typeof parsed === "string" ? [] : parsed;
  });
  return list.length === 0 ? [] : new DocumentElements(tree).matching(list);
}

function attributesOf(tree: Document, { attributes }: FormsTask): readonly (readonly string[])[] {
  return attributes.map(({ selector, attribute }) =>
    matching(tree, [selector])
      .flatMap((element) => element.attribs[attribute] ?? [])
      .slice(0, MAX_LIST),
  );
}

/** The values of `meta` elements by their names, the title and language of the page, and its icon. The first of a name counts. */
function metaOf(tree: Document): Readonly<Record<string, string>> {
  const meta = new Map<string, string>([["title", pageTitle(tree)]]);
  for (const { name, attribs } of elementsOf(tree)) {
    if (meta.size >= MAX_META) break;
    if (name === "html" && attribs["lang"] !== undefined) meta.set("language", attribs["lang"]);
    if (name === "link" && /(?:^|\s)icon(?:\s|$)/i.test(attribs["rel"] ?? "") && !meta.has("favicon")) {
      meta.set("favicon", (attribs["href"] ?? "").slice(0, MAX_META_LENGTH));
    }
    const key = name === "meta" ? (attribs["name"] ?? attribs["property"] ?? "") : "";
    const value = attribs["content"];
    if (key === "" || key.length > MAX_META_NAME || value === undefined || meta.has(key)) continue;
    meta.set(key, value.slice(0, MAX_META_LENGTH));
  }
  return Object.fromEntries(meta);
}
