/** What elements are called, and say, that are no content of a page. */

/** Words of classes and ids of what stands around the content; whole words, so that `sharepoint` is none. */
const AROUND = new Set(
  (
    "sidebar sidenav rail footer masthead topbar cookie cookies cookiebar consent gdpr ccpa newsletter subscribe " +
    "subscription signup paywall share sharing sharebar sharedaddy addthis social socials related recommended " +
    "recommendations outbrain taboola promo promotion promobox sponsor sponsored ad ads adbox adslot advert adverts " +
    "advertisement dfp leaderboard skyscraper popup modal toast skip skiplink login signin widget widgets upsell " +
    "crosssell announcement trending popular offscreen noprint minicart wishlist facet facets filters sortby"
  ).split(" "),
);

/** The same, where there are links in it: a restaurant's menu is content, and so is a table of search results. */
const AROUND_WITH_LINKS = new Set(
  (
    "nav navbar navigation menu submenu megamenu breadcrumb breadcrumbs crumbs toolbar pagination pager paging search " +
    "searchbox searchform filter refine sort sorting toc tags tagcloud languages banner utility compare"
  ).split(" "),
);

/** Roles of the same. */
export const AROUND_ROLES = new Set(
  "navigation banner contentinfo search complementary dialog alertdialog menu menubar toolbar tablist".split(" "),
);

/** Whether a class or id names an element as something around the content: surely, or where it is made of links. */
export function namedAround(classes = "", id = ""): "surely" | "with-links" | undefined {
  let found: "with-links" | undefined;
  for (const name of `${classes} ${id}`.slice(0, MAX_NAMES_LENGTH).split(/\s+/)) {
    if (name === "" || OF_ANYTHING.test(name)) continue;
    for (const word of wordsOfName(name)) {
      if (AROUND.has(word)) return "surely";
      if (AROUND_WITH_LINKS.has(word)) found = "with-links";
    }
  }
  return found;
}

/** Names of builders' boxes, which hold any content; of states; of results, which are what was searched for. */
const OF_ANYTHING = /^(?:elementor|has|no|with|without|is|js)-|search[-_]?results?/i;

/** `siteNav`, `site-nav` and `site__nav` are the same words; what has digits, or short pieces, is often made by a program. */
function wordsOfName(name: string): string[] {
  const words: string[] = [];
  for (const part of name.split(/[^A-Za-z0-9]+/)) {
    if (part === "" || /\d/.test(part)) continue;
    const pieces = part.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
    if (pieces.length > 1 && pieces.some((piece) => piece.length < MIN_LENGTH_OF_A_PIECE)) continue;
    for (const piece of pieces) words.push(piece.toLowerCase());
  }
  return words;
}

const MIN_LENGTH_OF_A_PIECE = 3;

/** What forums put around each post: numbers and titles of its author, votes, buttons. */
const POST_DETAILS =
  /(?:^|[\s_-])(?:rank|user-?title|signature|joined|reputation(?:-score)?|flair|badges?|action-?bar|(?:post|message)-?(?:buttons|menu|actions|controls|tools|footer)|profile-(?:rank|posts|joined)|vot(?:es?|ing|ecell)(?:-(?:count|container|cell))?|subtext|navs|linkback-list)(?:$|[\s_-])/i;

/** Whether a class names an element as a detail of a post. */
export function isPostDetail(classes = ""): boolean {
  return classes !== "" && POST_DETAILS.test(classes.slice(0, MAX_NAMES_LENGTH));
}

/** Classes and ids beyond this are not looked at; in characters. */
const MAX_NAMES_LENGTH = 400;

const CONSENT =
  /(?:^|[\s_-])(?:onetrust|cookie-?(?:bar|banner|consent|notice|law|popup|modal)|cookies?-?bar|cookiebot|cc-(?:window|banner)|gdpr|didomi|cmp-?container|consent-?(?:banner|modal|manager))/i;

/** Boxes that ask for consent, by the names that the common programs for it and their imitators use. */
export function isConsentBox(attribs: Readonly<Record<string, string>>): boolean {
  const { id = "", class: names = "" } = attribs;
  return (id !== "" || names !== "") && CONSENT.test(`${id} ${names}`.slice(0, MAX_NAMES_LENGTH));
}

/** What buttons, labels and links around content say: the whole text of a short element, without its punctuation. */
const PHRASES = new Set(
  (
    "share|share this|share this article|share this post|share on facebook|share on twitter|share on x|share on linkedin|" +
    "tweet|pin it|email|email this|print|print this page|copy link|save|save article|bookmark|like|follow|follow us|" +
    "follow us on|subscribe|subscribe now|sign up|sign in|log in|login|register|log in to reply|sign in to comment|" +
    "advertisement|ad|ads|sponsored|sponsored content|continue reading|read more|read more about|learn more|show more|" +
    "load more|view all|see all|view more|skip to content|skip to main content|back to top|top|reply|quote|report|" +
    "report post|report abuse|flag|edit|edit this page|edit this page on github|permalink|link|previous|next|prev|" +
    "loading|add to cart|add to basket|add to bag|add to wishlist|add to compare|buy now|out of stock notify me|" +
    "write a review|leave a comment|post a comment|leave a reply|comments|accept|accept all|accept all cookies|close|" +
    "menu|search|home|was this page helpful|was this helpful|yes|no|thanks for your feedback|copy|copied|" +
    "teilen|drucken|anzeige|werbung|mehr lesen|weiterlesen|zum warenkorb|in den warenkorb|antworten|zitieren|melden|" +
    "partager|publicite|lire la suite|imprimer|repondre|compartir|publicidad|leer mas|imprimir|responder|" +
    "pin|print recipe|pin recipe|jump to recipe|jump to navigation|jump to content|分享|转发|点赞|收藏|回复|举报|広告|シェア|返信|공유|광고|شارك|إعلان"
  ).split("|"),
);

/** Headings of what a site shows beneath its content. */
const TRAILERS = new RegExp(
  "^(?:related(?: (?:articles|posts|stories|products|content|reading|topics|items|links))?|more (?:from|on|in|stories|like)\\b.*|" +
    "you (?:may|might) (?:also )?(?:like|enjoy|be interested).*|recommended(?: for you| reading| articles| products)?|" +
    "(?:read|see|up) next|what to read next|also (?:on|in|read)\\b.*|most (?:read|popular|viewed)|popular (?:now|posts|articles)|trending(?: now)?|" +
    "latest (?:news|stories|posts|articles)|similar (?:products|items|articles|topics|threads)|suggested topics|" +
    "customers (?:who bought|also).*|frequently bought together|recently viewed.*|sponsored(?: links| content)?|" +
    "share this(?: article| post| page)?|subscribe(?: to .*)?|sign up (?:for|to) .*|join our newsletter|(?:our )?newsletter|follow us.*|" +
    "comments?(?: \\(?\\d+\\)?)?|\\d+ comments|leave a (?:comment|reply)|das könnte sie auch interessieren|mehr zum thema|" +
    "lire aussi|à lire aussi|también te puede interesar|相关(?:阅读|文章|推荐)|関連記事|관련 기사)$",
  "iu",
);

/** Longer texts are no label. In characters. */
const MAX_PHRASE_LENGTH = 60;

/** Single words of these that no page says of its subject. */
const ONLY_AROUND = new Set(
  "advertisement sponsored permalink tweet anzeige werbung publicite publicidad 广告 広告 광고 إعلان".split(" "),
);

/** Whether a label's text is one word that content may say as well, such as "Yes" or "Search". */
export function isCommonWord(text: string): boolean {
  const words = bareWords(text);
  return /^\p{L}+$/u.test(words) && !ONLY_AROUND.has(words);
}

/** Whether the whole text of a short element is one of these. */
export function isPhraseAround(text: string): boolean {
  if (text.length > MAX_PHRASE_LENGTH) return false;
  const words = bareWords(text);
  return PHRASES.has(words) || /^(?:\d+ )?(?:\d+ )?(?:shares?|likes?|min(?:ute)?s? read)$/.test(words);
}

/** A text in small letters, without accents and punctuation. */
function bareWords(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

export function isTrailerHeading(text: string): boolean {
  return text.length <= MAX_PHRASE_LENGTH && TRAILERS.test(text.replace(/[:…!?.\s]+$/u, "").trim());
}
