import { innermostOf } from "./box-around.ts";
import { type Box, type Outline } from "./outline.ts";
import { isPrice, productHeading } from "./price.ts";

/** Minimum number of similar siblings in a list of products, and the minimum share of them with a price and a link. */
const MIN_PRODUCTS = 3;
const MIN_SHARE = 0.5;
/** Maximum number of words of a product in such a list. */
const MAX_WORDS = 60;

/**
 * Drops the lists of other products from the page of one product: groups of similar siblings below its price that have a
 * price and a link each.
 */
export function dropOtherProducts(outline: Outline, chosen: Uint8Array): void {
  const { blocks } = outline;
  const heading = productHeading(blocks);
  if (heading === -1) return;
  const others = productsIn(outline, heading);
  if (others.size === 0) return;
  const around = innermostOf(others);
  const price = blocks.findIndex((block, at) => at > heading && isPrice(block));
  const own = blocks[price]?.box;
  // If the first price is in such a list, the page is a list of products.
  if (own === undefined || around(own) !== undefined) return;
  for (const [at, { box }] of blocks.entries()) if (at > price && around(box) !== undefined) chosen[at] = 0;
}

/** The members of all lists of products below a heading. */
function productsIn({ root, boxes, blocks }: Outline, heading: number): ReadonlySet<Box> {
  const priced = new Uint8Array(boxes);
  for (const [at, block] of blocks.entries()) if (at > heading && isPrice(block)) priced[block.box.index] = 1;
  const found = new Set<Box>();
  const visit = (box: Box): void => {
    for (const child of box.children) {
      visit(child);
      if (priced[child.index] === 1) priced[box.index] = 1;
    }
    for (const { alikeIndex, group } of box.children) {
      if (alikeIndex === 0 && isOfProducts(group, priced)) for (const member of group) found.add(member);
    }
  };
  visit(root);
  return found;
}

function isOfProducts(group: readonly Box[], priced: Uint8Array): boolean {
  if (group.length < MIN_PRODUCTS) return false;
  const members = group.filter(({ index, links, words }) => priced[index] === 1 && links > 0 && words <= MAX_WORDS);
  return members.length >= group.length * MIN_SHARE;
}
