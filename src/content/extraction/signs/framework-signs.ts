import { isComment } from "domhandler";
import { type Sign } from "./sign.ts";
import { hasShadowRoot, type Survey, type Surveyed } from "./survey.ts";

/** Fragments that htmx, hyperscript, Turbo, Unpoly, Livewire or the include scripts of small sites load without user action. */
function hasLateFragment(page: Survey): boolean {
  if (LATE_ATTRIBUTES.some((name) => page.having(name).length > 0)) return true;
  if (page.having("src").some(({ name }) => LATE_ELEMENTS.has(name))) return true;
  return TRIGGERS.some((name) =>
    page
      .having(name)
      .some(({ attribs }) => /(?:^|[\s,])(?:load|revealed|intersect|every|init)\b/.test(attribs[name] ?? "")),
  );
}

/** Attributes with the events of htmx, and with the code of hyperscript. */
const TRIGGERS = ["hx-trigger", "data-hx-trigger", "_", "data-script"];

/** Elements that load their content from the address in `src`. */
const LATE_ELEMENTS = new Set(["turbo-frame", "include-fragment", "html-include", "amp-list"]);

const LATE_ATTRIBUTES = ["up-defer", "wire:init", "w3-include-html", "hx-sse", "sse-connect", "ws-connect"];

/** Components that only the browser renders. React marks a boundary that failed on the server with `<!--$!-->`. */
function hasClientIsland(page: Survey): boolean {
  if (page.named("template").some(({ element: { prev } }) => prev !== null && isComment(prev) && prev.data === "$!"))
    return true;
  return page.having("client").some(({ attribs }) => attribs["client"] === "only");
}

/** Attributes with which Vue, Alpine, AngularJS, Knockout and similar libraries write text in the browser. */
const TEMPLATE_ATTRIBUTES =
  "v-for v-if v-text v-html v-cloak v-scope x-text x-if x-for x-html ng-repeat ng-bind ng-view ui-view data-bind".split(
    " ",
  );

function hasTemplates(page: Survey): boolean {
  if (TEMPLATE_ATTRIBUTES.some((attribute) => page.having(attribute).some(({ chrome }) => !chrome))) return true;
  // A script hides one of them, unless it is hidden already.
  if (page.having("x-show").some(({ chrome, hidden }) => !chrome && !hidden)) return true;
  return page.phrases.some(({ text, code }) => !code && /\{\{[^{}]{1,99}\}\}|<%[=-]?\s/.test(text));
}

/** Custom elements with little or no visible content: icons, switches, avatars. */
const SMALL_ELEMENT =
  /^(?:fb|amp|ion|lord|iconify|clr|sl|md|mdui|fa|gp|g|svg)-|(?:^|-)(?:icon|icons|avatar|spinner|toggle|switch|button|badge|theme|tooltip|menu|nav|search|skip|scroll|share|copy|analytics|tracker|consent|cookie|toast|modal|dialog|drawer|player|progress|pixel|router-link|announcer|overlay|banner|cart|selector|picker|youtube|vimeo|video|audio|map|maps|captcha|confetti|lottie)(?:$|-)/;

/** Angular renders the page's component beside this element, which stays empty. */
const ROUTER = "router-outlet";

function isEmptyCustomElement({ name, text, media, elements, hidden }: Surveyed): boolean {
  if (!name.includes("-") || hidden || text > 0 || media > 0 || elements > 2 || name === ROUTER) return false;
  return !SMALL_ELEMENT.test(name);
}

/** Text in the slots of a component. The component's script creates its shadow tree. */
function isSlotted({ chrome, hidden, parent }: Surveyed, elements: readonly Surveyed[]): boolean {
  if (chrome || hidden) return false;
  const host = elements[parent]?.element;
  return host?.name.includes("-") === true && !hasShadowRoot(host);
}

/** Parts of a page that a framework renders in the browser. Each sign counts only if the page has code that runs. */
export const FRAMEWORK_SIGNS: readonly Sign[] = [
  { name: "late-fragment", shown: hasLateFragment },
  { name: "client-island", shown: hasClientIsland },
  { name: "template-syntax", shown: hasTemplates },
  { name: "empty-custom-element", shown: (page) => page.elements.some((element) => isEmptyCustomElement(element)) },
  {
    name: "slotted-text",
    shown: (page) => page.having("slot").some((element) => isSlotted(element, page.elements)),
  },
];
