import { type ChildNode } from "domhandler";
import { type Address, type Email } from "postal-mime";
import { FileError } from "./kinds/file-error.ts";
import { type DocumentContent } from "./kinds/content.ts";
import { htmlBody, element, treeContent } from "./kinds/tree-content.ts";

/** Parts of a message in each other, and messages in it. A message with more is rejected. */
const MAX_PARTS_DEPTH = 64;
const MAX_MESSAGES_DEPTH = 5;
/** Attachments of a message that are listed, and characters of its text. The rest is missing. @operator */
const MAX_ATTACHMENTS = 1_000;
const MAX_TEXT = 5_000_000;
/** The base of addresses in a message, so that relative ones are left out. */
const MESSAGE = "mid:/";

/** The line before each message of a mailbox (RFC 4155). */
const MAILBOX = /^From [^\r\n]*\r?\n/;

/** The first message of a mailbox without its line, or the message as it is. */
function firstMessage(bytes: Uint8Array): { message: Uint8Array; isMore: boolean } {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const first = MAILBOX.exec(text.subarray(0, 1_000).toString("latin1"))?.[0].length ?? 0;
  if (first === 0) return { message: bytes, isMore: false };
  const next = text.indexOf("\nFrom ", first, "latin1");
  return { message: text.subarray(first, next === -1 ? undefined : next + 1), isMore: next !== -1 };
}

/** Reads an e-mail (RFC 5322), or the first one of a mailbox: its fields, its text, and a list of its attachments. */
export async function mailContent(bytes: Uint8Array): Promise<DocumentContent> {
  // Most workers never read a message.
  const { default: PostalMime } = await import("postal-mime");
  const { message, isMore } = firstMessage(bytes);
  let email: Email;
  try {
    email = await PostalMime.parse(message, {
      maxNestingDepth: MAX_PARTS_DEPTH,
      maxRfc822NestingDepth: MAX_MESSAGES_DEPTH,
    });
  } catch {
    throw new FileError(`it is a message with more than ${MAX_PARTS_DEPTH} nested parts, or is damaged`);
  }
  const { html = "", text = "", subject = "", date = "" } = email;
  const isPartial = isMore || html.length > MAX_TEXT || text.length > MAX_TEXT;
  const from = addressesOf(email.from === undefined ? [] : [email.from]);
  const blocks = [
    ...(subject === "" ? [] : [element("h1", [subject])]),
    ...fieldsOf(email, from),
    ...(html.trim() === "" ? paragraphsOf(text.slice(0, MAX_TEXT)) : htmlBody(html.slice(0, MAX_TEXT), MESSAGE)),
    ...attachmentsOf(email),
    ...(isMore ? [element("p", ["Further messages of the mailbox are left out."])] : []),
  ];
  const about = { ...(from === "" ? {} : { byline: from }), ...(date === "" ? {} : { published: date }) };
  return treeContent({ title: subject, about, isPartial, blocks });
}

function fieldsOf({ to = [], cc = [], date = "" }: Email, from: string): ChildNode[] {
  const fields = { From: from, To: addressesOf(to), Cc: addressesOf(cc), Date: date };
  const items = Object.entries(fields).flatMap(([name, value]) =>
    value === "" ? [] : [element("li", [element("strong", [`${name}:`]), ` ${value}`])],
  );
  return items.length === 0 ? [] : [element("ul", items)];
}

function addressesOf(addresses: readonly Address[]): string {
  const written = addresses.map(({ name, address, group }) => {
    if (group !== undefined) return `${name}: ${addressesOf(group)}`;
    return name === "" || name === address ? (address ?? "") : `${name} <${address ?? ""}>`;
  });
  return written.join(", ").slice(0, 10_000);
}

function paragraphsOf(text: string): ChildNode[] {
  return text
    .replaceAll("\r\n", "\n")
    .split(/\n[ \t]*\n/)
    .filter((paragraph) => paragraph.trim() !== "")
    .map((paragraph) => {
      const lines = paragraph.trim().split("\n");
      return element(
        "p",
        lines.flatMap((line, at) => (at === 0 ? [line] : [element("br", []), line])),
      );
    });
}

function attachmentsOf({ attachments }: Email): ChildNode[] {
  const listed = attachments.filter(({ related, filename }) => related !== true || filename !== null);
  if (listed.length === 0) return [];
  const items = listed.slice(0, MAX_ATTACHMENTS).map(({ filename, mimeType, content }) => {
    const size = typeof content === "string" ? content.length : content.byteLength;
    return element("li", [`${filename ?? "unnamed"} (${mimeType}, ${size} bytes)`]);
  });
  return [element("h2", ["Attachments"]), element("ul", items)];
}
