const p = (text: string, style?: string): string =>
  `<text:p${style === undefined ? "" : ` text:style-name="${style}"`}>${text}</text:p>`;
const item = (content: string, name = "list-item"): string => `<text:${name}>${content}</text:${name}>`;
const list = (content: string, style?: string): string =>
  `<text:list${style === undefined ? "" : ` text:style-name="${style}"`}>${content}</text:list>`;
const cell = (text: string, attributes = ""): string => `<table:table-cell ${attributes}>${p(text)}</table:table-cell>`;
const row = (cells: string, attributes = ""): string => `<table:table-row ${attributes}>${cells}</table:table-row>`;
const span = (style: string, text: string): string => `<text:span text:style-name="${style}">${text}</text:span>`;
const style = (name: string, properties: string, more = ""): string =>
  `<style:style style:name="${name}" style:family="text" ${more}><style:text-properties ${properties}/></style:style>`;
const level = (at: number, format: string, more = ""): string =>
  `<text:list-level-style-number text:level="${at}" style:num-format="${format}" ${more}/>`;

/** Styles of a text of OpenDocument. */
export const OPEN_STYLES = [
  style("bold", 'fo:font-weight="bold"'),
  ...[500, 600, 700].map((weight) => style(`w${weight}`, `fo:font-weight="${weight}"`)),
  style("italic", 'fo:font-style="italic"'),
  style("upright", 'fo:font-style="normal"'),
  style("strike", 'style:text-line-through-style="solid"'),
  style("unstruck", 'style:text-line-through-style="none"'),
  style("hidden", 'text:display="none"'),
  style("shown", 'text:display="true"'),
  ...["super 58%", "sub 58%", "33% 58%", "-33% 58%", "0% 100%"].map((position, at) =>
    style(`raised${at}`, `style:text-position="${position}"`),
  ),
  style("code", 'style:font-name="Courier New"'),
  style("family", 'fo:font-family="Menlo"'),
  style("serif", 'style:font-name="Serif"'),
  style("child", 'fo:font-style="italic"', 'style:parent-style-name="bold"'),
  style("loop", 'fo:font-style="italic"', 'style:parent-style-name="loop"'),
  `<style:style style:name="Mine" style:family="paragraph" style:parent-style-name="Title"/>`,
  `<style:style style:name="Code" style:family="paragraph"><style:text-properties style:font-name="Consolas"/></style:style>`,
  `<style:style style:name="Slanted" style:family="paragraph"><style:text-properties fo:font-style="italic" fo:font-weight="bold"/></style:style>`,
  `<text:list-style style:name="one">${level(1, "1")}${level(2, "a", 'text:start-value="4"')}${level(3, "")}</text:list-style>`,
  `<text:list-style style:name="five">${level(1, "1", 'text:start-value="5"')}</text:list-style>`,
  `<text:list-style style:name="bullets"><text:list-level-style-bullet text:level="1"/></text:list-style>`,
].join("");

/** Bodies of texts of OpenDocument. */
export const OPEN_SNIPPETS: readonly string[] = [
  p("a\n  b\tc  "),
  p("") + p(" ") + p("a"),
  p(`a<text:s/>b<text:s text:c="3"/>c<text:s text:c="x"/>d<text:s text:c="200"/>e`),
  p("a<text:tab/>b<text:line-break/>c"),
  ...[
    "bold",
    "w500",
    "w600",
    "w700",
    "italic",
    "upright",
    "strike",
    "unstruck",
    "hidden",
    "shown",
    "code",
    "family",
    "serif",
    "child",
    "loop",
    "none",
  ].map((name) => p(`a${span(name, "b")}c`)),
  ...[0, 1, 2, 3, 4].map((at) => p(`a${span(`raised${at}`, "b")}c`)),
  p(`a${span("bold", `b${span("italic", "c")}${span("upright", "d")}`)}e`),
  p("a", "Slanted") + p("b", "Mine") + p("c", "Title") + p("d", "Code") + p("e", "Code"),
  ...["1", "2", "6", "7", "0", "x"].map(
    (at) => `<text:h text:outline-level="${at}" text:style-name="Slanted">a</text:h>`,
  ),
  "<text:h>a</text:h>",
  p(`<text:a xlink:href="https://a.test/">a</text:a>b<text:a xlink:href="#x">c</text:a><text:a>d</text:a>`),
  p(`a<text:note><text:note-citation>1</text:note-citation><text:note-body>${p("b")}</text:note-body></text:note>c`) +
    p("d<text:note/>e"),
  p(
    `a<office:annotation><dc:creator>A</dc:creator>${p("b")}</office:annotation>c<office:annotation>${p("d")}</office:annotation>`,
  ),
  p("a<text:ruby><text:ruby-base>b</text:ruby-base><text:ruby-text>c</text:ruby-text></text:ruby>d"),
  p("a<text:bookmark-start/>b<text:unknown>c</text:unknown>d"),
  list(item(p("a")) + item(p("b"))),
  list(item(p("a") + list(item(p("b")) + item(p("c") + list(item(p("d"))))) + p("e")) + item(p("f")), "one"),
  list(item(p("a")) + item(p("b")), "five"),
  list(item(p("a")), "bullets") + list(item(p("b")), "unknown"),
  list(item(p("a"), "list-header") + item(p("b")) + item(p("c"), "other") + item("")),
  list(item("")) + list(""),
  list(item(`<text:h text:outline-level="2">a</text:h>`)),
  `<table:table>${row(cell("a") + cell("b"))}${row(cell("c") + cell("d"))}</table:table>`,
  `<table:table>${row(cell("a"))}</table:table><table:table/><table:table>${row("")}</table:table>`,
  `<table:table><table:table-header-rows>${row(cell("a") + cell("b"))}</table:table-header-rows><table:table-rows>${row(cell("c") + cell("d"))}</table:table-rows><table:table-row-group>${row(cell("e") + cell("f"))}</table:table-row-group><table:other>${row(cell("g"))}</table:other></table:table>`,
  `<table:table>${row(cell("a", 'table:number-columns-repeated="2"') + cell("b"))}${row(cell("c") + cell("d") + cell("e"), 'table:number-rows-repeated="2"')}</table:table>`,
  `<table:table>${row(cell("a", 'table:number-columns-repeated="x"') + cell("b"))}${row(cell("c") + cell("d"), 'table:number-rows-repeated="0"')}</table:table>`,
  `<table:table>${row(cell("a", 'table:number-columns-spanned="2"') + cell("b", 'table:number-rows-spanned="2"'))}${row(cell("c") + cell("d"))}</table:table>`,
  `<table:table>${row(cell("a") + cell("b"))}${row(`${cell("c")}<table:covered-table-cell/>`)}</table:table>`,
  `<table:table>${row(cell("a") + cell("b"))}${row(`<table:table-cell>${list(item(p("c")))}</table:table-cell>${cell("d")}`)}</table:table>`,
  `<text:section>${p("a")}</text:section><text:section text:display="none">${p("b")}</text:section><text:table-of-content><text:index-body><text:index-title>${p("c")}</text:index-title>${p("d")}</text:index-body></text:table-of-content><text:alphabetical-index>${p("e")}</text:alphabetical-index><text:bibliography>${p("f")}</text:bibliography><text:other>${p("g")}</text:other>`,
  p(`<draw:frame><draw:image xlink:href="Pictures/a.png"/><svg:title>A</svg:title></draw:frame>b`),
  p(`<draw:frame><draw:image xlink:href="a.png"/><svg:title>A</svg:title><svg:desc>D</svg:desc></draw:frame>`),
  p(`<draw:frame><draw:image/></draw:frame>a`),
  p(`a<draw:frame><draw:text-box>${p("b")}${list(item(p("c")))}</draw:text-box></draw:frame>d`) + p("e"),
  p(
    `a<draw:g><draw:frame><draw:text-box>${p("b")}</draw:text-box></draw:frame><draw:custom-shape>${p("c")}${list(item(p("d")))}</draw:custom-shape></draw:g>e`,
  ),
  `<draw:frame><draw:text-box>${p("a")}</draw:text-box></draw:frame><draw:custom-shape>${p("b")}</draw:custom-shape><draw:a><draw:frame><draw:image xlink:href="c.png"/></draw:frame></draw:a>`,
  p(
    `<draw:frame><table:table>${row(cell("a") + cell("b"))}${row(cell("c") + cell("d"))}</table:table><draw:image xlink:href="e.png"/></draw:frame>`,
  ),
  `<text:tracked-changes>${p("a")}</text:tracked-changes><text:sequence-decls>${p("b")}</text:sequence-decls><office:forms>${p("c")}</office:forms>${p("d")}`,
  p(
    `a<text:hidden-text>b</text:hidden-text>${span("hidden", "c<draw:frame><draw:text-box><text:p>d</text:p></draw:text-box></draw:frame>")}e`,
  ),
];
