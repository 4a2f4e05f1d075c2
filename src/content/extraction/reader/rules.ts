import { fitCode } from "./code-parts.ts";
import { addComments } from "./comments.ts";
import { dropHidden, dropLeads, dropSlides } from "./inserts.ts";
import { dropCopies } from "./copies.ts";
import { dropLabels } from "./labels.ts";
import { type Outline } from "./outline.ts";
import { addPostDetails } from "./posts.ts";
import { addPrice } from "./price.ts";
import { keepHeadings } from "./sections.ts";
import { dropNextStories, dropOutside } from "./stories.ts";
import { keepTogether, type Ranking } from "./together.ts";

/** A page whose blocks the model has scored. */
export interface ScoredPage {
  readonly ranking: Ranking;
  readonly isThread: boolean;
  /** Whether the page has a title with a date or an author below it. */
  readonly isStory: boolean;
  readonly isNews: boolean;
  /** The index of the title's block. -1 if no heading resembles the title. */
  readonly title: number;
  readonly isProduct: boolean;
  readonly hasComments: boolean;
}

/** Changes which blocks of a page are chosen. */
type Rule = (outline: Outline, chosen: Uint8Array, page: ScoredPage) => void;

/**
 * The rules after the model, in their order. docs/ablations.md has the gain of each, which tools/reader-model/evaluate.ts
 * measures.
 */
export const RULES = {
  keepTogether: (outline, chosen, { ranking }) => keepTogether(outline, chosen, ranking),
  dropNextStories: (outline, chosen, { isThread, title }) => {
    if (!isThread) dropNextStories(outline, chosen, title);
  },
  dropOutside: (outline, chosen, { isNews, title }) => {
    if (isNews) dropOutside(outline, chosen, title);
  },
  dropSlides: (outline, chosen, { isStory }) => {
    if (isStory) dropSlides(outline, chosen);
  },
  dropLeads: (outline, chosen, { isNews }) => dropLeads(outline, chosen, isNews),
  dropHidden,
  dropCopies: (outline, chosen, { isThread }) => dropCopies(outline, chosen, isThread),
  fitCode,
  keepHeadings,
  addPostDetails: (outline, chosen, { isThread }) => {
    if (isThread) addPostDetails(outline, chosen);
  },
  dropLabels,
  addPrice: (outline, chosen, { isProduct }) => {
    if (isProduct) addPrice(outline, chosen);
  },
  addComments: (outline, chosen, { hasComments }) => {
    if (hasComments) addComments(outline, chosen);
  },
} satisfies Readonly<Record<string, Rule>>;
