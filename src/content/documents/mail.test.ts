import { expect, test } from "bun:test";
import { failureOf, readBytes } from "./testing/read-bytes.ts";

const FIELDS = [
  "From: Ann <ann@a.test>",
  "To: bob@b.test, Carl <c@c.test>",
  "Subject: =?utf-8?q?T=C3=B6lls?=",
  "Date: Fri, 2 Jan 2026 03:04:05 +0000",
];

const mail = (...lines: string[]): string => [...FIELDS, "MIME-Version: 1.0", ...lines].join("\r\n");

test("a message has its fields and its text", async () => {
  const { markdown, title, about } = await readBytes(
    mail("Content-Type: text/plain", "", "Hello,", "a line.", "", "Bye *now*"),
  );
  expect(markdown()).toBe(
    [
      "# Tölls",
      String.raw`- **From:** Ann \<ann@a.test>
- **To:** bob@b.test, Carl \<c@c.test>
- **Date:** 2026-01-02T03:04:05.000Z`,
      "Hello,  \na line.",
      String.raw`Bye \*now\*`,
    ].join("\n\n"),
  );
  expect([title, about]).toEqual(["Tölls", { byline: "Ann <ann@a.test>", published: "2026-01-02T03:04:05.000Z" }]);
});

test("of two alternatives the one in HTML is read, without hidden text, and attachments are listed", async () => {
  const { markdown } = await readBytes(
    mail(
      'Content-Type: multipart/mixed; boundary="m"',
      "",
      "--m",
      'Content-Type: multipart/alternative; boundary="a"',
      "",
      "--a",
      "Content-Type: text/plain",
      "",
      "plain",
      "--a",
      "Content-Type: text/html",
      "",
      '<p>See <a href="https://a.test/">it</a></p><p style="display:none">no</p>',
      "--a--",
      "--m",
      "Content-Type: application/pdf",
      'Content-Disposition: attachment; filename="../toll.pdf"',
      "Content-Transfer-Encoding: base64",
      "",
      "JVBERg==",
      "--m--",
    ),
  );
  expect(markdown()).toEndWith(
    "See [it](https://a.test/)\n\n## Attachments\n\n- ../toll.pdf (application/pdf, 4 bytes)",
  );
});

test("a text in another character set is read, and a message in a message follows with its own fields", async () => {
  const { markdown } = await readBytes(
    mail(
      'Content-Type: multipart/mixed; boundary="m"',
      "",
      "--m",
      "Content-Type: text/plain; charset=iso-8859-2",
      "Content-Transfer-Encoding: quoted-printable",
      "",
      "=A3=F3d=BC",
      "--m",
      "Content-Type: message/rfc822",
      "",
      "From: Dora <d@d.test>",
      "Subject: =?koi8-r?B?0NLJ18XU?=",
      "Content-Type: text/plain; charset=windows-1251",
      "Content-Transfer-Encoding: 8bit",
      "",
      "\xcf\xee\xf8\xeb\xe8\xed\xe0",
      "--m--",
    ),
  );
  const text = markdown();
  expect(text.indexOf("Łódź")).toBeGreaterThan(0);
  expect(text.indexOf("Subject: привет")).toBeGreaterThan(text.indexOf("Łódź"));
  expect(text.indexOf("Пошлина")).toBeGreaterThan(text.indexOf("Subject: привет"));
});

test("of a mailbox the first message is read", async () => {
  const mailbox = `From ann@a.test Fri Jan  2 03:04:05 2026\n${mail("", "first")}\n\nFrom bob\n${mail("", "second")}`;
  const { markdown, isPartial } = await readBytes(mailbox);
  expect(isPartial).toBe(true);
  expect(markdown()).toEndWith("first\n\nFurther messages of the mailbox are left out.");
});

test.each<[what: string, lines: readonly string[], markdown: string, about: object]>([
  ["without fields", ["From a", "X-A: b", "", "Hello", ""], "Hello", {}],
  [
    "to a group",
    ["To: Keepers: Ann <a@a.test>, b@b.test;", "", "Hello"],
    String.raw`- **To:** Keepers: Ann \<a@a.test>, b@b.test` + "\n\nHello",
    {},
  ],
  [
    "with a picture in its text",
    [
      'Content-Type: multipart/related; boundary="r"',
      "",
      "--r",
      "Content-Type: text/html",
      "",
      "<p>Hello</p>",
      "--r",
      "Content-Type: image/png",
      "Content-ID: <a>",
      "Content-Disposition: inline",
      "",
      "x",
      "--r--",
    ],
    "Hello",
    {},
  ],
])("a message %s", async (_what, lines, markdown, about) => {
  const content = await readBytes(lines.join("\r\n"));
  expect(content.markdown()).toBe(markdown);
  expect([content.title, content.about, content.isPartial]).toEqual(["", about, false]);
});

test("parts that are nested 1,000 deep are refused", async () => {
  const nested = Array.from(
    { length: 1_000 },
    (_none, at) => `Content-Type: multipart/mixed; boundary="b${at}"\r\n\r\n--b${at}`,
  );
  expect(await failureOf(mail(nested.join("\r\n"), "", "x"))).toBe(
    "it is a message with more than 64 nested parts, or is damaged",
  );
});
