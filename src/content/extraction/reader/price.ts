import { type Block, FLAGS, type Outline } from "./outline.ts";

/** Maximum number of blocks between the heading of a product and its price. */
const MAX_BLOCKS_TO_PRICE = 80;
/** Maximum number of words of a price, such as "from 49.00 EUR a month". A longer text is not only a price. */
const MAX_WORDS_OF_A_PRICE = 6;
/** Codes of currencies that prices often have. Three other letters beside digits are those of an article number. */
const CODE =
  "(?:USD|EUR|GBP|JPY|CNY|RMB|INR|AUD|CAD|NZD|SGD|HKD|TWD|CHF|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|TRY|RUB|UAH|BRL|MXN|ARS|CLP|COP|PEN|ZAR|KRW|THB|IDR|MYR|PHP|VND|ILS|AED|SAR|EGP|PKR|BDT|NGN|KES)";
/** Digits beside the sign or the code of a currency. */
const PRICE = new RegExp(String.raw`\d[\d.,\s]*(?:\p{Sc}|${CODE}\b)|(?:\p{Sc}|\b${CODE})\s*\d`, "u");

/** Adds the price of a product, the first one after its heading, if no price is chosen. */
export function addPrice({ blocks }: Outline, chosen: Uint8Array): void {
  const title = blocks.findIndex(({ heading, box }) => heading === 1 && (box.flags & FLAGS.hidden) === 0);
  if (title === -1) return;
  const below = blocks.slice(title + 1, title + MAX_BLOCKS_TO_PRICE);
  const prices = below.flatMap((block, at) => (isPrice(block) ? [title + 1 + at] : []));
  const [first] = prices;
  if (first !== undefined && !prices.some((at) => chosen[at] === 1)) chosen[first] = 1;
}

/** Whether a block is a price outside of menus and buttons. */
function isPrice({ box, count, text }: Block): boolean {
  const around = FLAGS.nav | FLAGS.aside | FLAGS.footer | FLAGS.hidden | FLAGS.button | FLAGS.dialog;
  return count.words <= MAX_WORDS_OF_A_PRICE && (box.flags & around) === 0 && PRICE.test(text);
}
