import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { isInstalled } from "../../lib/testing/installed.ts";
import { patient } from "../../lib/testing/patience.ts";
import { startTestService, type TestService } from "../testing/service.ts";
import { Ocr } from "./ocr.ts";
import { drawn, printed, scanned } from "./testing/scans.ts";

setDefaultTimeout(patient(120_000));

const OPTIONS = { languages: ["eng"], maxPages: 2, timeoutMs: patient(60_000), maxPixels: 5_000_000, concurrency: 1 };
const LINES = ["The toll of the northern road is three coins.", "Riders without a cart pay nothing on Sundays."];

describe.skipIf(!isInstalled("tesseract") || !isInstalled("pdftoppm"))("with Tesseract", () => {
  let made: TestService;
  let base: string;

  beforeAll(async () => {
    made = await startTestService({ files: { maxUploadBytes: 10_000_000, textPrice: 25, ocr: OPTIONS } });
    const { address } = made.service;
    base = "port" in address ? `http://127.0.0.1:${address.port}` : "";
  });

  afterAll(async () => await made.close());

  async function parse(
    body: Uint8Array<ArrayBuffer>,
    query = "",
  ): Promise<{ charge: string | null; json: Record<string, unknown> }> {
    const response = await fetch(`${base}/parse?format=text${query}`, { method: "POST", body });
    // Each response of these requests is a JSON object.
    return {
      charge: response.headers.get("settlement-overrides"),
      json: (await response.json()) as Record<string, unknown>,
    };
  }

  test("a scanned document is read with its confidence, up to the pages of the bound", async () => {
    const { json } = await parse(Uint8Array.from(scanned([LINES, ["Second page"], ["Third page"]], 150)));
    expect(String(json["content"]).replace(/\s+/g, " ")).toBe([...LINES, "Second page"].join(" "));
    expect(json["metadata"]).toMatchObject({ ocr: { pages: 2, confidence: expect.any(Number) }, partial: true });
    expect(json).not.toHaveProperty("words");
  });

  test("a picture has its words with boxes on request", async () => {
    const { json } = await parse(drawn(printed(["Toll road"]), 150, "png"), "&words=true");
    expect(json["content"]).toBe("Toll road");
    const box = {
      page: 1,
      left: expect.any(Number),
      top: expect.any(Number),
      width: expect.any(Number),
      height: expect.any(Number),
    };
    expect(json["words"]).toEqual(["Toll", "road"].map((text) => ({ ...box, text, confidence: expect.any(Number) })));
  });

  test("a picture with too many pixels is refused before it is decoded, and one without text is empty", async () => {
    const large = Buffer.from(drawn(printed(["x"]), 20, "png"));
    large.writeUInt32BE(20_000, 16);
    large.writeUInt32BE(20_000, 20);
    expect((await parse(Uint8Array.from(large))).json["detail"]).toBe(
      "Cannot read the page: the picture has more than 5000000 pixels",
    );
    expect((await parse(drawn(printed([""]), 50, "png"))).json["type"]).toContain("page-type-unsupported");
  });

  test("a language that is not installed stops the start, and so does its absence", async () => {
    const failure = await Ocr.start({ ...OPTIONS, languages: ["xyz"] }, () => 0).catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: expect.stringContaining("install tesseract-ocr-xyz") });
  });

  test("files with text cost the share of text", async () => {
    expect((await parse(Uint8Array.from(printed(["Toll road"])))).charge).toBe('{"amount":"25%"}');
    expect((await parse(drawn(printed(["Toll road"]), 150, "png"))).charge).toBeNull();
  });
});
