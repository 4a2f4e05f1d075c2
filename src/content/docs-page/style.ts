/** The page's only style: no font, picture or script comes from anywhere. */
export const STYLE = `
:root { color-scheme: light dark; --ink: #1c2128; --soft: #57606a; --paper: #fff; --panel: #f4f5f7; --line: #d5d9de; --link: #0b57a8; --price: #0a6640 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e2e6eb; --soft: #9aa4af; --paper: #14171b; --panel: #1e2329; --line: #353c45; --link: #79b4f2; --price: #63cf9c }
}
* { box-sizing: border-box }
html { scroll-behavior: smooth; scroll-padding-top: 1rem }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, "Open Sans", "Noto Sans", sans-serif }
a { color: var(--link) }
a:focus-visible, pre:focus-visible, .scroll:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
.skip { position: absolute; left: -100rem }
.skip:focus { left: 1rem; top: .5rem; background: var(--paper); padding: .25rem .75rem; z-index: 1 }
.frame { display: grid; grid-template-columns: 15rem minmax(0, 1fr); max-width: 76rem; margin: 0 auto }
nav { position: sticky; top: 0; align-self: start; max-height: 100vh; overflow-y: auto; padding: 2rem 1rem 2rem 1.5rem; font-size: .925rem }
nav p { margin: 0 0 .35rem; color: var(--soft); font-size: .8rem; letter-spacing: .04em; text-transform: uppercase }
nav ul { list-style: none; margin: 0 0 1.5rem; padding: 0 }
nav a { display: flex; justify-content: space-between; padding: .2rem 0; text-decoration: none }
nav a:hover { text-decoration: underline }
nav span { color: var(--soft); font-variant-numeric: tabular-nums }
main { min-width: 0; padding: 2rem 1.5rem 5rem }
h1 { margin: 0; font-size: 1.9rem; line-height: 1.2 }
h2 { margin: 3.5rem 0 .25rem; padding-top: 1.5rem; border-top: 1px solid var(--line); font-size: 1.35rem; display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .75rem }
h3 { margin: 1.75rem 0 .5rem; font-size: 1rem }
h2 code { font-size: 1.2rem; background: none; padding: 0 }
.price { margin-left: auto; color: var(--price); font-size: 1rem; font-weight: 600; font-variant-numeric: tabular-nums }
.summary { margin: 0 0 .75rem; color: var(--soft); font-size: 1.05rem }
.version { color: var(--soft); margin: .25rem 0 1.25rem }
p { max-width: 46rem }
code, pre { font-family: ui-monospace, "Cascadia Code", "DejaVu Sans Mono", "Noto Sans Mono", monospace; font-size: .875em }
code { background: var(--panel); padding: .1em .3em; border-radius: 3px; overflow-wrap: anywhere }
pre { margin: 0; padding: .85rem 1rem; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; overflow-x: auto; line-height: 1.5 }
pre code { background: none; padding: 0; overflow-wrap: normal }
figure { margin: .75rem 0 }
figcaption { color: var(--soft); font-size: .85rem; margin-bottom: .25rem }
.scroll { overflow-x: auto }
table { width: 100%; border-collapse: collapse; font-size: .925rem }
th, td { text-align: left; vertical-align: top; padding: .45rem .75rem .45rem 0; border-bottom: 1px solid var(--line) }
thead th { color: var(--soft); font-weight: 600; font-size: .85rem }
tbody th { font-weight: 600; white-space: nowrap }
td.code code { overflow-wrap: normal; white-space: nowrap }
td.type { white-space: nowrap; color: var(--soft) }
.required { color: var(--soft); font-weight: 400; font-size: .8rem; display: block }
td small { color: var(--soft); display: block; font-size: .85em }
details { margin: 1.25rem 0 }
summary { cursor: pointer; font-weight: 600 }
@media screen and (max-width: 52rem) {
  .frame { display: block }
  nav { position: static; max-height: none; padding: 1rem 1rem 0; border-bottom: 1px solid var(--line) }
  nav ul { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin-bottom: 1rem }
  nav a { gap: .4rem }
  main { padding: 1.25rem 1rem 4rem }
  h2 { margin-top: 2.5rem }
  table.fields, table.fields tbody, table.fields tr, table.fields th, table.fields td { display: block; border: 0; padding: 0 }
  table.fields thead { position: absolute; left: -100rem }
  table.fields tr { padding: .6rem 0; border-bottom: 1px solid var(--line) }
  table.fields tbody th .required { display: inline; margin-left: .5rem }
}
@media print {
  :root { --ink: #000; --soft: #444; --paper: #fff; --panel: #fff; --line: #bbb; --link: #000; --price: #000 }
  body { font-size: 10pt }
  .frame { display: block; max-width: none }
  nav, .skip { display: none }
  details::details-content { content-visibility: visible; display: block; height: auto }
  main { padding: 0 }
  pre { white-space: pre-wrap; overflow-wrap: anywhere }
  pre, tr { break-inside: avoid }
  h2, h3, figcaption { break-after: avoid }
  a { text-decoration: none }
}
`;
