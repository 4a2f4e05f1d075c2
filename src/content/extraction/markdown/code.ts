import { type Element, type ParentNode, isTag, isText } from "domhandler";
import { isBlock } from "../tree/display.ts";

/** Class patterns with which highlighters name a language, the most reliable first. */
const LANGUAGE_CLASSES = [
  /(?:^|\s)(?:language|lang|highlight-source|highlight-text)-([\w+#.-]+)/,
  /(?:^|\s)brush:\s*([\w+#.-]+)/,
  /(?:^|\s)(?:sourceCode|hljs|shj-lang|prettyprint|CodeMirror)\s+([\w+#-]+)/,
  /(?:^|\s)([\w+#-]+)\s+(?:hljs|sourceCode)(?:\s|$)/,
  /(?:^|\s)highlight-([\w+#-]+)/,
];
const NO_LANGUAGE = new Set(
  (
    "none plain plaintext text txt nohighlight no-highlight default auto hljs highlight linenums line-numbers " +
    "numberLines notranslate source code wrapper block undefined null"
  ).split(" "),
);
/** Number of ancestors of a code block that may name its language. */
const MAX_WRAPPERS = 3;
const MAX_CLASS_LENGTH = 512;

/** Names of columns of line numbers, and of buttons, inside code. */
const GUTTER =
  /(?:^|\s)(?:line-?numbers?|linenos?|linenodiv|lineno|ln|gutter|rouge-gutter|hljs-ln-numbers|blob-num|line-numbers-rows|react-syntax-highlighter-line-number|copy-?(?:btn|button)|code-copy)(?:\s|$)/i;
const NOT_CODE = new Set(["button", "input", "select"]);

/** Classes of inline elements that a style shows as lines. Many pages also have a line break between two such elements. */
const LINE = /(?:^|\s)(?:[\w-]*-)?(?:code-line|token-line|view-line|line)(?:\s|$)/;

/** The text of a code block, and its language. */
export function codeOf(pre: Element): { text: string; language: string } {
  const code = pre.children.filter(isTag).find(({ name }) => name === "code");
  const text = verbatim(pre)
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
  let language = (code === undefined ? undefined : languageOf(code)) ?? languageOf(pre);
  let { parent } = pre;
  for (let steps = 0; language === undefined && steps < MAX_WRAPPERS && parent !== null && isTag(parent); steps += 1) {
    language = languageOf(parent);
    ({ parent } = parent);
  }
  return { text, language: language ?? "" };
}

/** Whether an element contains the line numbers beside code. */
export function isGutter({ attribs }: Element): boolean {
  return attribs["data-line-number"] !== undefined || GUTTER.test((attribs["class"] ?? "").slice(0, MAX_CLASS_LENGTH));
}

/** A fenced block (CommonMark 0.31 §4.5). Its fence is longer than any fence in the code. */
export function fenced(text: string, language: string): string {
  let longest = 2;
  for (const run of text.match(/^ {0,3}`{3,}/gm) ?? []) longest = Math.max(longest, run.trimStart().length);
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function languageOf({ attribs }: Element): string | undefined {
  const named = attribs["data-lang"] ?? attribs["data-language"];
  if (named !== undefined && /^[\w+#.-]{1,40}$/.test(named)) return known(named);
  const names = attribs["class"];
  if (names === undefined || names.length > MAX_CLASS_LENGTH) return undefined;
  for (const pattern of LANGUAGE_CLASSES) {
    const found = known(pattern.exec(names)?.[1] ?? "");
    if (found !== undefined) return found;
  }
  return undefined;
}

function known(name: string): string | undefined {
  const language = name.toLowerCase();
  return language === "" || language.length > 40 || NO_LANGUAGE.has(language) ? undefined : language;
}

/** The text without line numbers. White space is unchanged, and each block is on a line of its own. */
function verbatim(root: ParentNode): string {
  const parts: string[] = [];
  let endsLine = true;
  /** The last text is a line of its own, which the next text may end. */
  let isLine = false;
  const push = (text: string) => {
    if (text === "") return;
    if (isLine && !endsLine && !/^[\r\n]/.test(text)) parts.push("\n");
    isLine = false;
    parts.push(text);
    endsLine = text.endsWith("\n");
  };
  // prune.ts limits the depth of trees.
  const walk = (node: ParentNode) => {
    for (const child of node.children) {
      if (isText(child)) push(child.data);
      else if (isTag(child)) element(child);
    }
  };
  const element = (child: Element) => {
    if (child.name === "br") return push("\n");
    const names = (child.attribs["class"] ?? "").slice(0, MAX_CLASS_LENGTH);
    if (NOT_CODE.has(child.name) || GUTTER.test(names)) return;
    const block = isBlock(child);
    if (block && !endsLine) push("\n");
    walk(child);
    if (block && !endsLine) push("\n");
    else if (LINE.test(names)) isLine = true;
  };
  walk(root);
  return parts
    .join("")
    .replace(/\r\n?/g, "\n")
    .replaceAll("\u00A0", " ")
    .replace(/[\u200B\uFEFF]/g, "");
}
