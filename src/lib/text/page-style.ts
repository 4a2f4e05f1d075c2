/** The style of all HTML pages of the gateway. Pages load no font, image or script from other servers. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --ink: #1c2128; --soft: #57606a; --paper: #fff; --panel: #f6f7f8; --line: #d5d9de; --link: #0b57a8; --price: #0a6640; --warn: #8a4b00; --bad: #b3261e }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e2e6eb; --soft: #9aa4af; --paper: #14171b; --panel: #1c2126; --line: #353c45; --link: #79b4f2; --price: #63cf9c; --warn: #e6b566; --bad: #ff9b91 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, "Open Sans", "Noto Sans", sans-serif; -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
a { color: var(--link) }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px }
p { margin: .5rem 0 }
code, pre { font-family: ui-monospace, "Cascadia Code", "DejaVu Sans Mono", "Noto Sans Mono", monospace; font-size: .875em }
code { overflow-wrap: anywhere }
pre { margin: .5rem 0; padding: .85rem 1rem; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; line-height: 1.5; white-space: pre-wrap; overflow-wrap: anywhere }
pre code { font-size: 1em; background: none; padding: 0 }
summary { cursor: pointer; font-weight: 600 }
`;
