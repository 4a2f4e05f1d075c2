import { type Document } from "domhandler";
import { elementsOf } from "./selectors/select-all.ts";
import { imageSource } from "./tree/images.ts";
import { type Extraction, type PageForms } from "./tree/extraction.ts";

/** Characters of a picture's data, and of the pictures of all forms of a page. Further pictures are left out. */
const MAX_PICTURE = 1_000_000;
const MAX_PICTURES = 4_000_000;

const BASE64 = /^data:image\/[\w.+-]{1,40}(?:;charset=[\w-]{1,20})?;base64,[A-Za-z0-9+/\s]+={0,2}\s*$/i;

/**
 * Pictures whose data stands in the page as base64. While the forms of a page are made, an address of a host that does not
 * exist stands for each, because addresses are bounded and written in many places.
 */
export class InlinePictures {
  readonly #host: string;
  readonly #pattern: RegExp;
  readonly #numbers = new Map<string, number>();
  #left = MAX_PICTURES;

  /** The page of the pictures, which must not contain the addresses that stand for them. */
  constructor(html: string) {
    this.#host = `p${Bun.hash.xxHash64(html).toString(36)}.invalid`;
    this.#pattern = new RegExp(`https://${this.#host.replace(".", "\\.")}/(\\d{1,7})`, "g");
  }

  /** Replaces the data of the pictures that have no other source. */
  hide(tree: Document): void {
    for (const element of elementsOf(tree)) {
      if (element.name !== "img" || imageSource(element) !== undefined) continue;
      const source = element.attribs["src"] ?? "";
      if (source.length > MAX_PICTURE || !BASE64.test(source)) continue;
      const data = source.replace(/\s+/g, "");
      const number = this.#numbers.getOrInsert(data, this.#numbers.size);
      element.attribs["src"] = `https://${this.#host}/${number}`;
    }
  }

  /** The result with the data in place of the addresses. */
  shown(extraction: Extraction): Extraction {
    const pictures = [...this.#numbers.keys()];
    // A page may repeat an address, so each place counts.
    const show = (text: string): string =>
      text.replace(this.#pattern, (_address, number: string) => {
        const { [Number(number)]: data = "" } = pictures;
        this.#left -= data.length;
        return this.#left < 0 ? "" : data;
      });
    const { content, forms } = extraction;
    return { ...extraction, content: show(content), ...(forms === undefined ? {} : { forms: formsWith(forms, show) }) };
  }
}

function formsWith(forms: PageForms, show: (text: string) => string): PageForms {
  const { html, images } = forms;
  return {
    ...forms,
    ...(html === undefined ? {} : { html: show(html) }),
    ...(images === undefined
      ? {}
      : { images: images.map(({ url, text }) => ({ url: show(url), text })).filter(({ url }) => url !== "") }),
  };
}
