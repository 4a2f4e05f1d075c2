import { type AnyNode, type Document, isTag, Text } from "domhandler";
import { type EngineName } from "../page/page.ts";
import { showNoscript } from "./noscript.ts";
import { placeStreamedParts } from "./streamed-parts.ts";
import { replaceChildren } from "./tree/relink.ts";
import { walkNodes } from "./tree/walk.ts";

/** The id of a part that React streamed. */
const STREAMED = /\bid=["']?S:[0-9a-f]/;

/** Shows parts that the server streamed last in their places. True if the page has such parts. */
export function showStreamedParts(tree: Document, html: string, engine: EngineName): boolean {
  if (engine !== "static" || !STREAMED.test(html)) return false;
  placeStreamedParts(tree);
  return true;
}

/** Shows text that a page without scripts would not show: the content of `noscript`, and e-mail addresses that Cloudflare encoded. */
export function showLateText(tree: Document, html: string, engine: EngineName): void {
  if (engine !== "static") return;
  if (html.includes("<noscript") || /<noscript/i.test(html)) showNoscript(tree);
  if (html.includes("data-cfemail") || html.includes(ENCODED)) walkNodes(tree, { enter: showAddress });
}

/** The address of a link to an encoded address. */
const ENCODED = "/cdn-cgi/l/email-protection";

function showAddress(node: AnyNode): true {
  if (!isTag(node)) return true;
  const { attribs } = node;
  const address = decoded(attribs["data-cfemail"]);
  if (address !== undefined) replaceChildren(node, [new Text(address)]);
  const [path, code] = attribs["href"]?.split("#") ?? [];
  const linked = path?.endsWith(ENCODED) === true ? (decoded(code) ?? address) : undefined;
  if (linked !== undefined) attribs["href"] = `mailto:${linked}`;
  return true;
}

/** The first byte of the code changes the bits of all others. */
function decoded(code = ""): string | undefined {
  if (!/^(?:[\da-f]{2}){2,500}$/i.test(code)) return undefined;
  const [key = 0, ...bytes] = Buffer.from(code, "hex");
  return Buffer.from(bytes.map((byte) => byte ^ key)).toString();
}
