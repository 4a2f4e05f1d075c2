import { isComment, isTag } from "domhandler";
import { type Sign } from "./sign.ts";
import { isShadowRoot, type Survey, type Surveyed } from "./survey.ts";

/** Fragments that htmx, Turbo, Unpoly, Livewire or the include scripts of small sites load without user action. */
function hasLateFragment(page: Survey): boolean {
  if (page.hasAny(LATE_ATTRIBUTES)) return true;
  if (page.having("src").some(({ name }) => LATE_ELEMENTS.has(name))) return true;
  const triggered = [...page.having("hx-trigger"), ...page.having("data-hx-trigger")];
  return triggered.some(({ attribs }) =>
    /(?:^|[\s,])(?:load|revealed|intersect|every)\b/.test(attribs["hx-trigger"] ?? attribs["data-hx-trigger"] ?? ""),
  );
}

/** Elements that load their content from the address in `src`. */
export const LATE_ELEMENTS = new Set(["turbo-frame", "include-fragment", "html-include", "amp-list"]);

const LATE_ATTRIBUTES = [
  "up-defer",
  "up-poll",
  "wire:init",
  "wire:poll",
  "w3-include-html",
  "data-include",
  "data-load-url",
  "data-lazy-url",
  "data-remote-url",
  "data-ajax-url",
  "data-async-src",
  "ic-src",
  "hx-sse",
  "sse-connect",
  "ws-connect",
];

function isEmpty({ text, media }: Surveyed): boolean {
  return text === 0 && media === 0;
}

/** Components that only the browser renders. React marks a boundary that failed on the server with `<!--$!-->`. */
function hasClientIsland(page: Survey): boolean {
  if (page.having("data-dgst").some(({ attribs }) => attribs["data-dgst"]?.startsWith("BAILOUT") === true)) return true;
  if (page.named("template").some(({ element: { prev } }) => prev !== null && isComment(prev) && prev.data === "$!"))
    return true;
  if (page.having("client").some(({ attribs }) => attribs["client"] === "only")) return true;
  if (page.having("component-url").some((element) => element.name === "astro-island" && isEmpty(element))) return true;
  if (QWIK_EVENTS.some((event) => page.having(event).some(({ name }) => name !== "a" && name !== "script")))
    return true;
  return ISLAND_ATTRIBUTES.some((attribute) =>
    page.having(attribute).some((element) => isEmpty(element) && element.elements <= 1),
  );
}

/** Events without a user, at which Qwik runs a task of a component. A link preloads its page, a script is the router's. */
const QWIK_EVENTS = ["on:qvisible", "on:qinit", "on:qidle", "on-document:qinit", "on-document:qidle"];

const ISLAND_ATTRIBUTES = [
  "data-react-class",
  "data-react-props",
  "data-react-component",
  "data-reactid",
  "data-component",
  "data-component-name",
  "data-vue-component",
  "data-island",
  "data-hydrate",
  "data-svelte-component",
  "data-widget-url",
  "data-block-name",
];

/** React sends slow parts at the end of a page, and an inline script moves them to where they belong. */
/** Data that SvelteKit streams after the page, for parts that wait for it. */
const STREAMED_DATA = /^\s{0,99}__sveltekit_\w{1,20}\.resolve\s{0,3}\(/;

function hasStreamedPart(page: Survey): boolean {
  if (page.code.inline.some(({ whole }) => STREAMED_DATA.test(whole))) return true;
  return page.having("id").some(({ name, attribs }) => {
    const id = attribs["id"] ?? "";
    return (name === "template" && /^[BP]:/.test(id)) || (attribs["hidden"] !== undefined && id.startsWith("S:"));
  });
}

/** Attributes with which Vue, Alpine, AngularJS, Knockout and similar libraries write text in the browser. */
const TEMPLATE_ATTRIBUTES = [
  "v-for",
  "v-if",
  "v-show",
  "v-text",
  "v-html",
  "v-cloak",
  "v-scope",
  "x-html",
  "x-if",
  "x-for",
  "x-bind:href",
  ":href",
  ":src",
  "ng-repeat",
  "ng-bind",
  "ng-bind-html",
  "ng-if",
  "ng-show",
  "ng-hide",
  "ng-view",
  "ng-include",
  "ui-view",
  "data-ng-repeat",
  "data-ng-bind",
  "data-ng-view",
  "data-bind",
  "rv-text",
  "rv-each-item",
  "data-signals",
  "data-mustache",
];

/** A text without variables, which the server renders as well. */
const LITERAL = /^\s{0,9}(["'`])[^"'`$]{0,200}\1\s{0,9}$/;

function hasTemplates(page: Survey): boolean {
  if (page.code.templates > 0) return true;
  if (TEMPLATE_ATTRIBUTES.some((attribute) => page.having(attribute).some(({ chrome }) => !chrome))) return true;
  if (page.having("x-text").some(({ chrome, attribs }) => !chrome && !LITERAL.test(attribs["x-text"] ?? "")))
    return true;
  if (page.having("x-show").some((element) => !element.chrome && !isToggled(element, page))) return true;
  return page.phrases.some(({ text, code }) => !code && /\{\{[^{}]{1,99}\}\}|<%[=-]?\s/.test(text));
}

/** Number of ancestors of an element that are searched for the state of its component. */
const MAX_ABOVE = 20;

/** Whether an element's visibility depends on a literal state of its Alpine component, which only a user changes. */
function isToggled({ parent, attribs, hidden }: Surveyed, { elements }: Survey): boolean {
  if (hidden && !/^!?[\w$.]{1,60}$/.test(attribs["x-show"]?.trim() ?? "")) return false;
  let component = attribs["x-data"] === undefined ? elements[parent] : { attribs, parent };
  for (let level = 0; level < MAX_ABOVE && component !== undefined; level += 1) {
    const state = component.attribs["x-data"];
    if (state !== undefined)
      return state.trim() !== "" && !/[(`]/.test(state) && component.attribs["x-init"] === undefined;
    component = elements[component.parent];
  }
  return false;
}

/** Custom elements with little or no visible content: icons, switches, avatars. */
export const SMALL_ELEMENT =
  /^(?:fb|amp|ion|lord|iconify|clr|sl|md|mdui|fa|gp|g|svg)-|(?:^|-)(?:icon|icons|avatar|spinner|toggle|switch|button|badge|theme|tooltip|menu|nav|search|skip|scroll|share|copy|analytics|tracker|consent|cookie|toast|modal|dialog|drawer|player|progress|pixel|router-link|announcer|overlay|banner|cart|selector|picker|youtube|vimeo|video|audio|map|maps|captcha|confetti|lottie)(?:$|-)/;

/** Angular renders the page's component beside this element, which stays empty. */
export const ROUTER = "router-outlet";

function isEmptyCustomElement({ name, text, media, elements, hidden }: Surveyed): boolean {
  if (hidden || text > 0 || media > 0 || elements > 2 || name === ROUTER) return false;
  return !SVG_NAMES.has(name) && !SMALL_ELEMENT.test(name);
}

/** Text in the slots of a component. The component's script creates its shadow tree. */
function isSlotted({ chrome, hidden, parent }: Surveyed, elements: readonly Surveyed[]): boolean {
  if (chrome || hidden) return false;
  const host = elements[parent]?.element;
  return host?.name.includes("-") === true && !host.children.some((child) => isTag(child) && isShadowRoot(child));
}

/** Element names of SVG and MathML that contain a hyphen. */
const SVG_NAMES = new Set([
  "annotation-xml",
  "color-profile",
  "font-face",
  "font-face-src",
  "font-face-uri",
  "missing-glyph",
]);

/** Complete applications that render themselves. */
const APPLICATIONS =
  /(?:^|\/)(?:flutter_bootstrap|flutter|main\.dart|blazor\.webassembly|dotnet|unityloader|[\w.-]{1,60}\.loader)\.js(?:$|[?#])|_framework\/blazor\.webassembly/i;

function isApplication({ code }: Survey): boolean {
  return code.unknown.some((src) => APPLICATIONS.test(src));
}

/** Parts of a page that a framework renders in the browser. Each sign counts only if the page has code that runs. */
export const FRAMEWORK_SIGNS: readonly Sign[] = [
  { name: "late-fragment", shown: hasLateFragment },
  { name: "client-island", shown: hasClientIsland },
  { name: "streamed-part", shown: hasStreamedPart },
  { name: "template-syntax", shown: hasTemplates },
  { name: "empty-custom-element", shown: (page) => page.someCustom((element) => isEmptyCustomElement(element)) },
  {
    name: "slotted-text",
    shown: (page) => page.having("slot").some((element) => isSlotted(element, page.elements)),
  },
  { name: "drawn-application", shown: isApplication },
];
