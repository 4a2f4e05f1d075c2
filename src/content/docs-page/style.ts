import { PAY_STYLE } from "../../payments/browser/pay-script.ts";
import { PAGE_STYLE } from "../../lib/text/page-style.ts";

/** The page's only style. It loads no font, picture or script. */
export const STYLE = `${PAGE_STYLE}${PAY_STYLE}
html { scroll-behavior: smooth; scroll-padding-top: 1rem }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto } }
.skip { position: absolute; left: -100rem }
.skip:focus { left: 1rem; top: .5rem; background: var(--paper); padding: .25rem .75rem; z-index: 1 }
.frame { display: grid; grid-template-columns: 16rem minmax(0, 1fr); max-width: 76rem; margin: 0 auto }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 1.75rem 1rem 2rem 1.5rem; font-size: .925rem }
nav p { margin: 0 0 .35rem; color: var(--soft); font-size: .8rem; letter-spacing: .03em }
nav ul { list-style: none; margin: 0 0 1.5rem; padding: 0 }
nav li > a { display: flex; justify-content: space-between; gap: .5rem; padding: .25rem .6rem; margin: 0 -.6rem; border-left: 3px solid transparent; color: inherit; text-decoration: none }
nav li > a:hover { color: var(--link) }
nav a[aria-current] { border-left-color: var(--link); background: var(--panel); font-weight: 600 }
nav span { color: var(--soft); font-weight: 400; font-variant-numeric: tabular-nums }
[role="search"] { margin-bottom: 1.5rem }
[role="search"] label { display: block; margin-bottom: .25rem; color: var(--soft); font-size: .8rem }
input, textarea { width: 100%; padding: .5rem .65rem; border: 1px solid var(--soft); border-radius: 6px; background: var(--paper); color: var(--ink); font: inherit }
textarea { font: .875rem/1.5 ui-monospace, "DejaVu Sans Mono", monospace; resize: vertical }
#results { margin: .5rem 0 0; border: 1px solid var(--line); border-radius: 6px }
#results li { padding: .35rem .6rem; overflow-wrap: anywhere }
#results a { display: block; margin: 0; padding: 0; border: 0 }
#results strong { display: block; font-weight: 600 }
main { min-width: 0; padding: 2rem 1.5rem 5rem }
h1 { margin: 0; font-size: 1.9rem; line-height: 1.2 }
h2 { margin: 3.5rem 0 .25rem; padding-top: 1.5rem; border-top: 1px solid var(--line); font-size: 1.35rem; display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .75rem }
h3 { margin: 1.75rem 0 .5rem; font-size: 1rem }
h2 code { font-size: 1.2rem }
.price { margin-left: auto; color: var(--price); font-size: 1rem; font-weight: 600; font-variant-numeric: tabular-nums }
.summary { margin: 0 0 .75rem; color: var(--soft); font-size: 1.05rem }
.version { color: var(--soft); margin: .25rem 0 1.25rem }
.test { padding: .6rem .875rem; border: 1px solid var(--warn); border-radius: 8px; color: var(--warn) }
.back { display: none }
p { max-width: 46rem }
p code, td code { background: var(--panel); padding: .1em .3em; border-radius: 3px }
pre { background: var(--panel) }
figure { margin: .75rem 0 }
figcaption { display: flex; justify-content: space-between; align-items: end; color: var(--soft); font-size: .85rem; margin-bottom: .25rem }
figure pre { margin: 0 }
button { padding: .45rem .9rem; border: 1px solid var(--link); border-radius: 6px; background: var(--link); color: var(--paper); font: inherit; font-weight: 600; cursor: pointer }
button:disabled { opacity: .6; cursor: default }
.copy { padding: .1rem .5rem; border-color: var(--line); background: none; color: var(--link); font-size: .8rem; font-weight: 400 }
.try { margin: 1.25rem 0; padding: 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--panel) }
.try label { display: block; margin-bottom: .25rem; font-weight: 600; font-size: .9rem }
.try button { margin-top: .6rem }
.good { color: var(--price) }
.bad { color: var(--bad) }
table { width: 100%; table-layout: fixed; border-collapse: collapse; font-size: .925rem }
th, td { text-align: left; vertical-align: top; padding: .45rem .75rem .45rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere }
thead th { color: var(--soft); font-weight: 600; font-size: .85rem }
thead th:first-child { width: 26% }
thead th:nth-child(2) { width: 22% }
.errors thead th:first-child { width: 12% }
.errors thead th:nth-child(2) { width: 32% }
tbody th { font-weight: 600 }
td.type { color: var(--soft) }
.required { color: var(--soft); font-weight: 400; font-size: .8rem; display: block }
td small { color: var(--soft); display: block; font-size: .85em }
details { margin: 1.25rem 0 }
@media screen and (max-width: 52rem) {
  .frame { display: block }
  nav { position: static; max-height: none; padding: 1rem 1rem 0 }
  nav li > a { padding: .55rem .6rem; border-bottom: 1px solid var(--line) }
  main { padding: 1.25rem 1rem 4rem }
  h2 { margin-top: 0; padding-top: 0; border: 0 }
  section.operation, section.part { display: none }
  section:target, section:has(:target) { display: block }
  .frame:has(section:target, section :target) nav > :not(form), main:has(section:target, section :target) .overview > :not(h1) { display: none }
  main:has(section:target, section :target) h1 { margin-bottom: 1.25rem; color: var(--soft); font-size: 1rem; font-weight: 400 }
  main:has(section:target, section :target) .back { display: block; margin-top: 2rem }
  table.fields, table.fields tbody, table.fields tr, table.fields th, table.fields td { display: block; border: 0; padding: 0 }
  table.fields thead { position: absolute; left: -100rem }
  table.fields tr { padding: .6rem 0; border-bottom: 1px solid var(--line) }
  table.fields tbody th .required { display: inline; margin-left: .5rem }
  .errors thead th:first-child { width: 18% }
  .errors thead th:nth-child(2) { width: 36% }
}
@media print {
  :root { --ink: #000; --soft: #444; --paper: #fff; --panel: #fff; --line: #bbb; --link: #000; --price: #000 }
  body { font-size: 10pt }
  .frame { display: block; max-width: none }
  nav, .skip, .try, .copy { display: none }
  details::details-content { content-visibility: visible; display: block; height: auto }
  main { padding: 0 }
  pre, tr { break-inside: avoid }
  h2, h3, figcaption { break-after: avoid }
  a { text-decoration: none }
}
`;
