import { isTag } from "domhandler";
import { type Sign } from "./sign.ts";
import { isShadowRoot, type Survey, type Surveyed } from "./survey.ts";

function anyElement(fits: (element: Surveyed) => boolean): Sign["shown"] {
  return ({ elements }: Survey) => elements.some((element) => fits(element));
}

/** htmx, Turbo, Unpoly, Livewire, and the include scripts of small sites: fragments that are fetched unasked. */
function isLateFragment({ name, attribs }: Surveyed): boolean {
  const request = attribs["hx-get"] ?? attribs["data-hx-get"] ?? attribs["hx-post"] ?? attribs["data-hx-post"];
  const trigger = attribs["hx-trigger"] ?? attribs["data-hx-trigger"] ?? "";
  if (request !== undefined && /(?:^|[\s,])(?:load|revealed|intersect|every)\b/.test(trigger)) return true;
  if (name === "turbo-frame" || name === "include-fragment" || name === "html-include")
    return attribs["src"] !== undefined;
  return LATE_ATTRIBUTES.some((attribute) => attribs[attribute] !== undefined);
}

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

/** Parts of which the server sent nothing, for their component to show in the browser alone. */
function isClientIsland({ name, attribs, text, media, elements }: Surveyed): boolean {
  const empty = text === 0 && media === 0;
  if (name === "astro-island") return attribs["client"] === "only" || empty;
  if (name === "template") return attribs["data-dgst"] === "BAILOUT_TO_CLIENT_SIDE_RENDERING";
  if (!empty || elements > 1) return false;
  return ISLAND_ATTRIBUTES.some((attribute) => attribs[attribute] !== undefined);
}

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

/** React sends late parts of a page at its end and has an inline script move them to their places. */
function isStreamedPart({ name, attribs }: Surveyed): boolean {
  const id = attribs["id"] ?? "";
  return (name === "template" && /^[BP]:/.test(id)) || (attribs["hidden"] !== undefined && id.startsWith("S:"));
}

/** Attributes by which Vue, Alpine, AngularJS, Knockout and the like write text in the browser. */
const TEMPLATE_ATTRIBUTES = [
  "v-for",
  "v-if",
  "v-show",
  "v-text",
  "v-html",
  "v-cloak",
  "v-scope",
  "x-text",
  "x-html",
  "x-show",
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
  "hx-ext",
  "data-text",
  "data-show",
  "data-signals",
  "data-mustache",
];

function isTemplated({ attribs }: Surveyed): boolean {
  return TEMPLATE_ATTRIBUTES.some((attribute) => attribs[attribute] !== undefined);
}

function hasTemplates({ templates, phrases, elements }: Survey): boolean {
  if (templates > 0) return true;
  if (phrases.some(({ text, code }) => !code && /\{\{[^{}]{1,99}\}\}|<%[=-]?\s/.test(text))) return true;
  return elements.some((element) => isTemplated(element));
}

/** Elements of a page's own that show something small or nothing: icons, switches, pictures of people. */
const SMALL_ELEMENT =
  /^(?:fb|amp|ion|lord|iconify|clr|sl|md|mdui|fa|gp|g|svg)-|(?:^|-)(?:icon|icons|avatar|spinner|toggle|switch|button|badge|theme|tooltip|menu|nav|search|skip|scroll|share|copy|analytics|tracker|consent|cookie|toast|modal|dialog|drawer|player|progress|pixel|router-link|announcer|overlay|banner|cart|selector|picker)(?:$|-)/;

function isEmptyCustomElement({ name, text, media, elements, chrome, hidden }: Surveyed): boolean {
  if (chrome || hidden || text > 0 || media > 0 || elements > 2) return false;
  return name.includes("-") && !SVG_NAMES.has(name) && !SMALL_ELEMENT.test(name);
}

/** Words that a component puts into places of its shadow tree, which its script makes. */
function isSlotted({ name, attribs, chrome, hidden, parent }: Surveyed, elements: readonly Surveyed[]): boolean {
  if (attribs["slot"] === undefined || chrome || hidden || name === "slot") return false;
  const host = elements[parent]?.element;
  return host?.name.includes("-") === true && !host.children.some((child) => isTag(child) && isShadowRoot(child));
}

/** Names with a hyphen that belong to SVG and MathML. */
const SVG_NAMES = new Set([
  "annotation-xml",
  "color-profile",
  "font-face",
  "font-face-src",
  "font-face-uri",
  "missing-glyph",
]);

/** Whole applications that draw themselves. */
const APPLICATIONS =
  /(?:^|\/)(?:flutter_bootstrap|flutter|main\.dart|blazor\.webassembly|dotnet|unityloader|[\w.-]{1,60}\.loader)\.js(?:$|[?#])|_framework\/blazor\.webassembly/i;

function isApplication({ unknown }: Survey): boolean {
  return unknown.some((src) => APPLICATIONS.test(src));
}

/** What frameworks leave in a page for the browser to finish. Each of them needs code that runs. */
export const FRAMEWORK_SIGNS: readonly Sign[] = [
  { name: "late-fragment", shown: anyElement(isLateFragment) },
  { name: "client-island", shown: anyElement(isClientIsland) },
  { name: "streamed-part", shown: anyElement(isStreamedPart) },
  { name: "template-syntax", shown: hasTemplates },
  { name: "empty-custom-element", shown: anyElement(isEmptyCustomElement) },
  { name: "slotted-text", shown: ({ elements }) => elements.some((element) => isSlotted(element, elements)) },
  { name: "drawn-application", shown: isApplication },
];
