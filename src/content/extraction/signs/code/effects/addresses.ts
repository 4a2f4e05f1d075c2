import { type Survey } from "../../survey.ts";

/** Addresses of requests that load no content: a user action starts them, or they are the framework's own. */
const ASIDE =
  /\b(?:auth|sessions?|log-?in|log-?out|sign-?in|sign-?up|register|me|cart|basket|track(?:ing)?|collect|analytics|metrics|beacon|csrf|token|likes?|votes?|subscribe|newsletter|contact|suggest(?:ions)?|search|autocomplete|complete|consent|cookies?|config|settings|i18n|locales?|lang|translations?|messages\/\w\w|version|manifest|builds?|_nuxt|_payload|_app|_next|\w{0,8}__data|embed|envelope|favicon|service-?worker|sw|ping|health|errors?|report|feedback)\b/i;

const FILE = /\.(?:m?js|css|svg|png|jpe?g|webp|avif|gif|ico|woff2?|mp[34]|m3u8|webm|wasm|pdf)(?:$|[?#])/i;

/** Whether a script requests data for the content from an address, and the document does not have the data. */
export function isDataAddress(address: string, { code }: Survey): boolean {
  if (
    !/^(?:https?:\/\/[\w.:-]{1,120})?\.{0,2}\/?[\w$@-]/i.test(address) ||
    !/[/.]/.test(address) ||
    ASIDE.test(address) ||
    FILE.test(address)
  )
    return false;
  return !code.dataText.some((text) => text.includes(address));
}
