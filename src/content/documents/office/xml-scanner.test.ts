import { expect, test } from "bun:test";
import { XmlScanner } from "./xml-scanner.ts";

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
])("%s has the same events in whatever pieces it comes", (xml, events) => {
  for (const length of [xml.length, 1, 2, 3, 7]) expect(eventsOf(xml, length)).toBe(events);
});

test("a tag without an end is refused, and one that is cut off is not there", () => {
  expect(() => eventsOf(`<a b="${"x".repeat(9_000_000)}`, 1_000_000)).toThrow("it has a part that is too large");
  expect(eventsOf("<a>x<b c='")).toBe("<a>x</>");
});
