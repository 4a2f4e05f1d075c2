import { cleanText } from "../../search/clean-text.ts";
import { speaksToReader } from "../embedded/injection.ts";

/** Maximum number of characters of a model's reasons in the response. */
const MAX_REASONS = 1_000;
/** Characters of HTML and Markdown, and addresses. */
const MARKUP = /[<>[\]{}|`#*_~\\^=@]|:\/\/|\p{L}[\p{L}\d-]*\.\p{Ll}{2,}/u;
/** Numbers, and names after the first word. */
const SPECIFICS = /(?<=\s)\p{Lu}[\p{L}\p{M}]+|\d+(?:[.,:]\d+)*/gu;

/**
 * The sentences of a model's reasons that may be shown: plain text without markup, addresses and instructions, whose
 * names and numbers are all in the `known` texts.
 */
export function plainReasons(reasons: string, known: readonly string[]): string {
  const specifics = new Set(known.flatMap((text) => ` ${text}`.match(SPECIFICS) ?? []));
  return cleanText(reasons, MAX_REASONS, true)
    .split(/(?<=[.!?])\s+/u)
    .filter((sentence) => !MARKUP.test(sentence) && !speaksToReader(sentence))
    .filter((sentence) => (sentence.match(SPECIFICS) ?? []).every((one) => specifics.has(one)))
    .join(" ");
}
