/** Addresses of requests that load no content: a user action starts them, or they are the framework's own. */
export const ASIDE =
  /\b(?:auth|sessions?|log-?in|log-?out|sign-?in|sign-?up|register|me|cart|basket|track(?:ing)?|collect|analytics|metrics|beacon|csrf|token|likes?|votes?|subscribe|newsletter|contact|suggest(?:ions)?|search|autocomplete|complete|consent|cookies?|config|settings|i18n|locales?|lang|translations?|messages\/\w\w|version|manifest|builds?|_nuxt|_payload|_app|_next|\w{0,8}__data|embed|envelope|favicon|service-?worker|sw|ping|health|errors?|report|feedback)\b/i;

/** Whether the document's data contains a name or an address, in quotes. */
export function isIn(data: string, name: string): boolean {
  for (let at = data.indexOf(name); at !== -1; at = data.indexOf(name, at + 1)) {
    const isBegun = name.startsWith("/") || !/\w/.test(data.charAt(at - 1));
    if (isBegun && /["'\\&?#]/.test(data.charAt(at + name.length))) return true;
  }
  return false;
}
