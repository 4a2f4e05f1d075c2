import { expect, test } from "bun:test";
import { XmlScanner, type XmlTag } from "./xml-scanner.ts";

/** The events of a document that comes in pieces of this length. */
function eventsOf(xml: string, length = xml.length): string {
  let found = "";
  const scanner = new XmlScanner({
    open: ({ name, attributes, isEmpty }) => {
      const written = Object.entries(attributes).map(([key, value]) => ` ${key}=[${value}]`);
      found += `<${name}${written.join("")}>${isEmpty ? "</>" : ""}`;
    },
    text: (text) => {
      found += text;
    },
    close: () => {
      found += "</>";
    },
  });
  for (let at = 0; at < xml.length; at += length) scanner.write(xml.slice(at, at + length));
  scanner.end();
  return found;
}

test.each([
  [`<a b="1" c='2'>x<d/>y</a>`, "<a b=[1] c=[2]>x<d></>y</>"],
  [`<a\n b = "x > y / z" ></a >`, "<a b=[x > y / z]></>"],
  ["<a>&lt;&amp;&#65;&#x1F600;&other;&#xD800;</a>", "<a><&A😀&other;\uFFFD</>"],
  [`<a b="&quot;&apos;"/>`, `<a b=["']></>`],
  ["<?xml version='1.0'?><!-- <no> --><a><![CDATA[<b>&amp;]]></a>", "<a><b>&amp;</>"],
  [`<!DOCTYPE a [<!ENTITY x "y>">]><a/>`, "<a></>"],
  ["<!DOCTYPE a><a/>", "<a></>"],
  ["<a><b><c>x</a>y</b>", "<a><b><c>x</></></>y"],
  ["<a><b c='>'/>x<b c='>'><b/></b><b c='>'/><b/></a>", "<a><b c=[>]></>x<b c=[>]><b></></><b c=[>]></><b></></>"],
  ["<a>1 < 2 & 3</a>", "<a>1 < 2 & 3</>"],
  ["<a b=1 c d='x' b='2'>x", "<a b=[1] c=[] d=[x]>x</>"],
  [
    "<a>&#0;&#x110000;&#x10FFFF;&#xDFFF;&#xE000;&#55295;&#12345678;&#x1234567;&AMP;&apos;&gt;</a>",
    "<a>\uFFFD\uFFFD\u{10FFFF}\uFFFD\uE000\uD7FF&#12345678;&#x1234567;&AMP;'></>",
  ],
  ["<a>x&amp</a>&lt", "<a>x&amp</>&lt"],
  ["<a></b><b></c></b></a></a>x", "<a><b></></>x"],
  ["<a></ a ></a>", "<a></>"],
  ["<aa></a></aa>", "<aa></>"],
  ["<a><aa></a>", "<a><aa></></>"],
  ["<></>< a>", "<>< a>"],
  ["<a//><b / ><c/x>", "<a></><b></><c></>"],
  ["<a b='1' b='2' c = d e=f/>", "<a b=[1] c=[d] e=[f]></>"],
  ["<a =b c>x", "<a ==[] b=[] c=[]>x</>"],
  ["<a b=>x</a>", "<a b=[]>x</>"],
  ["<a b='\"' c=\"'\">", "<a b=[\"] c=[']></>"],
  ["<!---><a/><!-- > -- --><b/>", "<b></>"],
  ["<![CDATA[]]><a><![CDATA[]]]]></a>", "<a>]]</>"],
  ["<!DOCTYPE a SYSTEM 'x' [ <!-- ] --> ] ><a/>", " ] ><a></>"],
  ["<!x><a/><b/>", "<a></><b></>"],
  ["<!DOCTYPE a><b>[</b>", "<b>[</>"],
  ["<?x > ?><a/><?y?>", "<a></>"],
  ["<?never", ""],
  ["<a>x<!-- never", "<a>x</>"],
  ["<a>x<![CDATA[never", "<a>x</>"],
  ["<a>x<!DOCTYPE never [ ]", "<a>x</>"],
  ["<a>x</never", "<a>x</>"],
  [
    `<a ${"b".repeat(97)}/><a ${"b".repeat(97)}/><a ${"b".repeat(98)}/>`,
    `<a ${"b".repeat(97)}=[]></><a ${"b".repeat(97)}=[]></><a ${"b".repeat(98)}=[]></>`,
  ],
])("%s has the same events in whatever pieces it comes", (xml, events) => {
  for (const length of [xml.length, 1, 2, 3, 7]) expect(eventsOf(xml, length)).toBe(events);
});

test("a tag without an end is refused, and one that is cut off is not there", () => {
  expect(() => eventsOf(`<a b="${"x".repeat(9_000_000)}`, 1_000_000)).toThrow("it has a part that is too large");
  expect(eventsOf("<a>x<b c='")).toBe("<a>x</>");
});

function tagsOf(xml: string): XmlTag[] {
  const tags: XmlTag[] = [];
  const scanner = new XmlScanner({ open: (tag) => void tags.push(tag), text: () => {}, close: () => {} });
  scanner.write(xml);
  scanner.end();
  return tags;
}

/** Whether the last two tags of a document are the same object. */
function isOne(xml: string): boolean {
  const tags = tagsOf(xml);
  return tags.at(-1) === tags.at(-2);
}

function others(count: number): string {
  return Array.from({ length: count }, (_none, at) => `<a${at}/>`).join("");
}

test("equal tags are one object if they are short, and among the first 2,000 that differ", () => {
  expect(isOne("<a b='c'/><a b='c'/>")).toBe(true);
  expect(isOne(`<${"a".repeat(98)}/>`.repeat(2))).toBe(true);
  expect(isOne(`<${"a".repeat(99)}/>`.repeat(2))).toBe(false);
  expect(isOne("<a b='>'/><a b='>'/>")).toBe(false);
  expect(isOne(`${others(1_999)}<b/><b/>`)).toBe(true);
  expect(isOne(`${others(2_000)}<b/><b/>`)).toBe(false);
});

test("a tag of 8,000,000 characters may still end, and a longer one is refused", () => {
  expect(tagsOf("<".padEnd(8_000_000, "a"))).toEqual([]);
  expect(() => tagsOf("<".padEnd(8_000_001, "a"))).toThrow("it has a part that is too large");
});
