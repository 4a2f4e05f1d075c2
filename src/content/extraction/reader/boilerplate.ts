/** Texts of buttons, labels and links around content: the whole text of a short element, without its punctuation. */
const PHRASES = new Set(
  (
    "share|share this|share this article|share this post|share on facebook|share on twitter|share on x|share on linkedin|" +
    "tweet|pin it|email|email this|print|print this page|copy link|save|save article|bookmark|like|follow|follow us|" +
    "follow us on|subscribe|subscribe now|sign up|sign in|log in|login|register|log in to reply|sign in to comment|" +
    "advertisement|ad|ads|sponsored|sponsored content|continue reading|read more|read more about|learn more|show more|" +
    "load more|click to expand|view all|see all|view more|skip to content|skip to main content|back to top|top|reply|quote|report|" +
    "report post|report abuse|flag|edit|edit this page|edit this page on github|permalink|link|previous|next|prev|" +
    "loading|add to cart|add to basket|add to bag|add to wishlist|add to compare|buy now|out of stock notify me|" +
    "write a review|leave a comment|post a comment|leave a reply|comments|accept|accept all|accept all cookies|close|" +
    "menu|search|home|was this page helpful|was this helpful|yes|no|thanks for your feedback|copy|copied|" +
    "teilen|drucken|anzeige|werbung|mehr lesen|weiterlesen|zum warenkorb|in den warenkorb|antworten|zitieren|melden|" +
    "partager|publicite|lire la suite|imprimer|repondre|compartir|publicidad|leer mas|imprimir|responder|" +
    "pin|print recipe|pin recipe|jump to recipe|jump to navigation|jump to content|分享|转发|点赞|收藏|回复|举报|広告|シェア|返信|공유|광고|شارك|إعلان"
  ).split("|"),
);

/** Headings of the parts that a site shows below its content. */
const TRAILERS = new RegExp(
  "^(?:related(?: (?:articles|posts|stories|products|content|reading|topics|items|links))?|more (?:from|on|in|stories|like)\\b.*|" +
    "you (?:may|might) (?:also )?(?:like|enjoy|be interested).*|recommended(?: for you| reading| articles| products)?|" +
    "(?:read|see|up) next|what to read next|also (?:on|in|read)\\b.*|most (?:read|popular|viewed)|popular (?:now|posts|articles)|trending(?: now)?|" +
    "latest (?:news|stories|posts|articles)|similar (?:products|items|articles|topics|threads)|suggested topics|" +
    "customers (?:who bought|also).*|frequently bought together|recently viewed.*|sponsored(?: links| content)?|" +
    "share this(?: article| post| page)?|subscribe(?: to .*)?|sign up (?:for|to) .*|join our newsletter|(?:our )?newsletter|follow us.*|" +
    "comments?(?: \\(?\\d+\\)?)?|\\d+ comments|leave a (?:comment|reply)|" +
    "(?:kommentare|commentaires|comentarios|commenti|reacties|yorumlar|комментарии|σχόλια|תגובות|تعليقات|التعليقات|टिप्पणियाँ|" +
    "ความคิดเห็น|bình luận|评论|評論|留言|コメント|댓글)(?: ?\\(?\\d+\\)?)?|das könnte sie auch interessieren|mehr zum thema|" +
    "lire aussi|à lire aussi|también te puede interesar|相关(?:阅读|文章|推荐)|関連記事|관련 기사)$",
  "iu",
);

/** Maximum number of characters of a label. A longer text is not a label. */
const MAX_PHRASE_LENGTH = 60;

/** Single words from PHRASES that never belong to a page's subject. */
const ONLY_AROUND = new Set(
  "advertisement sponsored permalink tweet anzeige werbung publicite publicidad 广告 広告 광고 إعلان".split(" "),
);

/** Whether a label is one word that content may contain as well, such as "Yes" or "Search". */
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

/** The text in lower case, without accents and punctuation. */
function bareWords(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** True for the heading of a part that a site shows below its content, such as "Related articles". */
export function isTrailerHeading(text: string): boolean {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= MAX_PHRASE_LENGTH && TRAILERS.test(line.replace(/[:…!?.\s]+$/u, ""));
}
