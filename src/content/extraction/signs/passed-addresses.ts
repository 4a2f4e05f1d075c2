import { ASIDE } from "./request-addresses.ts";

/** The address of data in a string: on the site itself or on its own service. */
const PASSED = String.raw`(["'\`])((?:https?:\/\/[\w.:-]{1,120})?\.{0,2}\/(?![^"'\`\s]*\.(?:m?js|css|svg|png|jpe?g|webp|gif|woff2?|mp4|wasm|pdf)\b)[^"'\`\s]{1,200})`;
/** A method or a class that gets options with an address of data: `Widget.init({ url: "/rows" })`. */
const PASSES_OPTION = new RegExp(
  `(?:[\\w$)\\]]\\s{0,3}\\.\\s{0,3}[\\w$]{1,40}|\\bnew\\s{1,3}[\\w$.]{1,60})\\s{0,3}\\((?:[^(){};]{1,80},)?\\s{0,9}\\{[^;]{0,300}?\\b(?:url|src|source|endpoint|api|ajax|feed|data|json|remote|\\w{1,20}(?:Url|URL|_url|Source|Endpoint|Feed))["'\`]?\\s{0,3}:\\s{0,9}${PASSED}`,
  "g",
);
/** A function that gets an address and the selector of an element, in either order: `show("/rows", "#rows")`. */
const PASSES_BOTH = new RegExp(
  `[\\w$]\\s{0,3}\\(\\s{0,9}(?:["'\`][#.][\\w-]{1,60}["'\`]\\s{0,3},\\s{0,9}${PASSED}|${PASSED}["'\`]\\s{0,3},\\s{0,9}["'\`][#.][\\w-])`,
  "g",
);

/** Whether an inline script passes an address of data to a function of another script. */
export function passesAddress(code: string): boolean {
  return [PASSES_OPTION, PASSES_BOTH].some((pattern) => code.matchAll(pattern).some(([call]) => !ASIDE.test(call)));
}
