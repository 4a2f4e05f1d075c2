import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { makeDocx, makeZip } from "../documents/testing/make-zip.ts";
import { startTestService, type TestService } from "../testing/service.ts";

setDefaultTimeout(patient(60_000));

const DOCX = makeDocx("<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Toll</w:t></w:r><w:r><w:t> roads</w:t></w:r></w:p>");

type Body = string | Uint8Array<ArrayBuffer> | FormData;

let made: TestService;
let base: string;

beforeAll(async () => {
  made = await startTestService({ firecrawl: true, files: { maxUploadBytes: 200_000, textPrice: 25 } });
  const { address } = made.service;
  base = "port" in address ? `http://127.0.0.1:${address.port}` : "";
});

afterAll(async () => await made.close());

async function send(
  path: string,
  body: Body,
  type?: string,
): Promise<{ status: number; json: Record<string, unknown> }> {
  const headers = type === undefined ? {} : { "content-type": type };
  const response = await fetch(`${base}${path}`, { method: "POST", body, headers });
  // Each response of these requests is a JSON object.
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

function form(file: Uint8Array<ArrayBuffer> | string, name: string, fields: Record<string, string> = {}): FormData {
  const data = new FormData();
  data.set("file", new File([file], name));
  for (const [key, value] of Object.entries(fields)) data.set(key, value);
  return data;
}

test("a file is read from a form, from JSON in base64, and alone", async () => {
  const expected = { format: "markdown", content: "**Toll** roads" };
  expect(await send("/parse", form(DOCX, "x.docx"))).toMatchObject({ status: 200, json: expected });
  const json = JSON.stringify({ file: Buffer.from(DOCX).toString("base64") });
  expect(await send("/parse", json, "application/json")).toMatchObject({ status: 200, json: expected });
  expect(await send("/parse", DOCX, "application/octet-stream")).toMatchObject({ status: 200, json: expected });
  expect(await send("/parse?format=text&max_length=4", DOCX)).toMatchObject({
    json: { format: "text", content: "Toll", metadata: { truncated: true } },
  });
});

test("texts are read by their type or the end of their name, and pages without an address", async () => {
  const table = "| a | b |\n| --- | --- |\n| 1 | 2 |";
  expect((await send("/parse", form("a,b\n1,2", "x.csv"))).json["content"]).toBe(table);
  expect((await send("/parse?content_type=text/csv", "a,b\n1,2", "application/octet-stream")).json["content"]).toBe(
    table,
  );
  const page = '<title>Tolls</title><p>See <a href="/x">x</a> and <a href="https://a.test/">it</a></p>';
  expect((await send("/parse", form(page, "x.html"))).json).toMatchObject({
    content: "See x and [it](https://a.test/)",
    metadata: { title: "Tolls", content_type: "text/html", engine: "static" },
  });
});

test.each<[what: string, body: Body, type: string | undefined, expected: readonly [status: number, detail: string]]>([
  ["without a file", "{}", "application/json", [400, "'file' is required"]],
  ["with a file that is not base64", '{"file":"a b"}', "application/json", [400, "'file' must be base64"]],
  ["with a file of one other character", '{"file":"*"}', "application/json", [400, "'file' must be base64"]],
  ["with a file of half a byte", '{"file":"Q"}', "application/json", [400, "'file' must be base64"]],
  ["with an empty file", form(new Uint8Array(), "x.docx"), undefined, [400, "'file' is required"]],
  ["without a body", new Uint8Array(), "application/octet-stream", [400, "'file' is required"]],
  ["with a name twice", '{"file":"QUJD","file":"QUJD"}', "application/json", [400, 'the key "file" appears twice']],
  ["that is not UTF-8", Uint8Array.from([0x22, 0xff, 0x22]), "application/json", [400, "it is not UTF-8"]],
  ["that nests deeply", "[".repeat(10_000), "application/json", [400, "expected at most 128 levels"]],
  [
    "with an unknown field",
    form(DOCX, "x", { color: "red" }),
    undefined,
    [400, "'color' is not a field of this operation"],
  ],
  ["that is too large", new Uint8Array(200_001), undefined, [413, "it has more than 200000 bytes"]],
  ["with a form that is not one", "x", "multipart/form-data; boundary=y", [400, "its parts are damaged"]],
  [
    "with a picture",
    Uint8Array.from(Buffer.from("\x89PNG\r\n\x1a\n", "latin1")),
    undefined,
    [500, "is not one that can be read"],
  ],
  ["with a file that is cut off", DOCX.slice(0, 300), undefined, [500, "it is a zip file that was cut off"]],
  [
    "with an encrypted file",
    makeZip([{ name: "mimetype", content: "x", isEncrypted: true }]),
    undefined,
    [500, "it requires a password"],
  ],
])("a request %s is refused", async (_what, body, type, [status, detail]) => {
  const found = await send("/parse", body, type);
  expect(found.status).toBe(status);
  expect(found.json["detail"]).toContain(detail);
});

test("forms of too many parts are refused before they are parsed", async () => {
  const fields = Object.fromEntries(Array.from({ length: 60 }, (_none, at) => [`f${at}`, "x"]));
  expect((await send("/parse", form(DOCX, "x", fields))).status).toBe(400);
});

test("Firecrawl's form has its options as JSON", async () => {
  const options = JSON.stringify({ formats: ["markdown", "html"], parsers: ["pdf"] });
  const { json } = await send("/v2/parse", form(DOCX, "x.docx", { options }));
  expect(json).toMatchObject({
    success: true,
    data: { markdown: "**Toll** roads", html: "<p><strong>Toll</strong> roads</p>", metadata: { statusCode: 200 } },
  });
  const shot = JSON.stringify({ formats: ["screenshot"] });
  expect(await send("/v2/parse", form(DOCX, "x.docx", { options: shot }))).toMatchObject({
    status: 400,
    json: { success: false },
  });
});
