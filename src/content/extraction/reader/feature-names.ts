import { FLAGS } from "./outline.ts";

/** Number of levels above a block's own box. The box at each of these levels has features. */
export const LEVELS = [1, 2, 3, 4, 6];
/** Shares of the page's words. For each share, the innermost box with at least this share has features. */
export const SHARES = [0.1, 0.3, 0.6];
/** Number of neighbours on each side. A block's features include some features of these neighbours. */
export const NEIGHBOURS = 2;

type Group =
  | "words"
  | "centre"
  | "text"
  | "flags"
  | "place"
  | "heading"
  | "ancestors"
  | "alike"
  | "neighbours"
  | "names"
  | "phrases"
  | "page"
  | "topic"
  | "template";

/** The features' names and groups, in the order of a row. */
export const FEATURES: readonly (readonly [group: Group, name: string])[] = featureNames();

function featureNames(): (readonly [Group, string])[] {
  const of = (group: Group, names: string): (readonly [Group, string])[] =>
    names.split(" ").map((name) => [group, name] as const);
  const own = "tag words charsPerWord linkShare links sentences commas digits capitals images heading endsSentence";
  return [
    ...of("text", `${own} same sameBefore runs placeLinks otherLinks ofLongest currencies`),
    ...of("flags", Object.keys(FLAGS).join(" ")),
    ...of("place", "depth index before after wordsBefore"),
    ...of("heading", "fromTitle afterTitle titleCommon sinceHeading headingLevel trailer headingSays isTitle"),
    ...of("centre", "inside share up down common sinceProse untilProse withProseBefore withProseAfter"),
    ...LEVELS.flatMap((level) =>
      of("ancestors", "share link prose perBlock headings images sentences times".replaceAll(/\w+/g, `$&@${level}`)),
    ),
    ...SHARES.flatMap((share) => of("ancestors", "link prose perBlock up".replaceAll(/\w+/g, `$&>${share}`))),
    ...of("alike", "count words mean index level link outerCount outerMean outerLevel ownCount ownIndex"),
    ...Array.from({ length: NEIGHBOURS }, (_none, at) => [`-${at + 1}`, `+${at + 1}`])
      .flat()
      .flatMap((at) =>
        of("neighbours", "tag words link sentences names phrase heading same".replaceAll(/\w+/g, `$&${at}`)),
      ),
    ...of("names", "own parent grand low high sum lowAt highAt near4"),
    ...of("phrases", "own first last"),
    ...of("words", "mean low"),
    ...of(
      "page",
      "words blocks link prose sentences article product thread list main articles pathDepth slugWords pathDigits " +
        "groupShare groupMean groupCount times hidden proseBlocks priceBlocks headings images title",
    ),
    ...of("topic", "title prose"),
    ...of("template", "count words mean link sentences prices index first last texts before after"),
  ];
}

export const WIDTH = FEATURES.length;
