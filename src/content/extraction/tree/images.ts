import { type Element, isTag } from "domhandler";

/** Attributes with the address of a picture that scripts load later, in place of a small one. */
const LATE = ["data-src", "data-original", "data-lazy-src", "data-lazy"];
const LATE_SETS = ["data-srcset", "data-lazy-srcset", "srcset", "data-url"];

/** Maximum number of characters of a list of candidates. A longer list is ignored. */
const MAX_SRCSET_LENGTH = 16_384;

const PLACEHOLDER =
  /(?:^|\/)(?:blank|spacer|placeholder|transparent|pixel|1x1|lazy(?:load)?|loading)\.(?:gif|png|svg|jpe?g)$/i;

/** The address of the picture that the reader finally sees, as the page writes it. Undefined if there is no picture. */
export function imageSource(image: Element): string | undefined {
  const { attribs } = image;
  const late = LATE.map((name) => attribs[name]?.trim() ?? "").find(isAddress);
  if (late !== undefined) return late;
  const source = attribs["src"]?.trim() ?? "";
  if (isAddress(source) && !PLACEHOLDER.test(source)) return source;
  return largest(attribs) ?? pictureSource(image) ?? (source === "" || source.startsWith("data:") ? undefined : source);
}

function isAddress(source: string): boolean {
  return source !== "" && !/^(?:data|about):/.test(source);
}

/** Whether a picture only counts visits. */
export function isTrackingPixel({ attribs }: Element): boolean {
  if (isTiny(attribs["width"]) && isTiny(attribs["height"])) return true;
  const style = attribs["style"];
  return style !== undefined && /(?:^|[;\s])width:\s*[01]px/i.test(style) && /(?:^|[;\s])height:\s*[01]px/i.test(style);
}

/** Whether a width or a height is one of a picture that only takes space. */
export function isTiny(length: string | undefined): boolean {
  return length !== undefined && /^\s*[01](?:px)?\s*$/.test(length);
}

/** The candidates of a picture element's first source. */
function pictureSource(image: Element): string | undefined {
  const picture = image.parent;
  if (picture === null || !("name" in picture) || picture.name !== "picture") return undefined;
  for (const source of picture.children) {
    if (!isTag(source) || source.name !== "source") continue;
    const found = largest(source.attribs);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The candidate with the largest width or density. */
function largest(attribs: Element["attribs"]): string | undefined {
  for (const name of LATE_SETS) {
    const set = attribs[name];
    if (set === undefined || set.length > MAX_SRCSET_LENGTH) continue;
    let best: string | undefined;
    let bestSize = -1;
    // An address may contain commas. A candidate ends at a comma before white space.
    for (const candidate of set.split(/,\s+|,$/)) {
      const [address = "", descriptor = "1x"] = candidate.trim().split(/\s+/);
      const size = Number.parseFloat(descriptor);
      if (address === "" || address.startsWith("data:") || !(size > bestSize)) continue;
      best = address;
      bestSize = size;
    }
    if (best !== undefined) return best;
  }
  return undefined;
}
