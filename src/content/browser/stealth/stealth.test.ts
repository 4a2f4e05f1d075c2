import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { type Fingerprint, FINGERPRINT_FRAME, fingerprintPage } from "../../testing/fingerprint.ts";
import { createStateFolder } from "../../testing/state-folder.ts";
import { openPage, pageRequestOf } from "../../testing/visit.ts";
import { BrowserPool } from "../pool.ts";
import { drawProfile } from "./profile.ts";
import { patient } from "../../../lib/testing/patience.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

const HTML = { headers: { "content-type": "text/html" } };
const WINDOWS =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36";
const FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";

const state = createStateFolder();
const other = Bun.serve({ hostname: "127.0.0.2", port: 0, fetch: () => new Response(FINGERPRINT_FRAME, HTML) });
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request) {
    if (request.url.endsWith("/headers")) return Response.json(Object.fromEntries(request.headers));
    return new Response(fingerprintPage(`http://127.0.0.2:${other.port}`), HTML);
  },
});
let pool: BrowserPool;

beforeAll(async () => {
  ({ pool } = await BrowserPool.start({ stateDir: state.path, log: () => undefined }));
});

afterAll(async () => {
  await pool.close();
  await Promise.all([server.stop(true), other.stop(true)]);
  state.remove();
});

const SCOPES = ["page", "frame", "foreign", "worker", "shared"] as const;
type Seen = Readonly<Record<(typeof SCOPES)[number] | "headers", Fingerprint>>;

async function look(userAgent?: string, stealth = true): Promise<Seen> {
  const request = pageRequestOf(server.url.href, { stealth, selector: "#done", timeoutMs: 30_000, userAgent });
  const text = await openPage(pool, request, (page) => page.evaluate(`document.querySelector("#done").textContent`));
  // Written by the page of testing/fingerprint.ts.
  return JSON.parse(text) as Seen;
}

/** The properties that must be the same in windows and workers. */
const SAME = [
  "userAgent",
  "appVersion",
  "platform",
  "language",
  "languages",
  "hardwareConcurrency",
  "deviceMemory",
  "brands",
  "hints",
  "timeZone",
  "locale",
  "offset",
  "date",
  "webgl",
  "permission",
  "asked",
];

function expectOneStory(seen: Seen): void {
  for (const scope of SCOPES) {
    for (const key of SAME) expect([scope, key, seen[scope][key]]).toEqual([scope, key, seen.page[key]]);
    expect(seen[scope]).toMatchObject({
      unnatural: [],
      constructible: [],
      ownNavigator: [],
      illegal: 0,
      canvasStable: true,
    });
    expect(seen[scope]["canvas"]).toMatchObject({ hash: Object(seen.page["canvas"]).hash, flat: "255,102,0,255" });
  }
  for (const scope of ["page", "frame", "foreign"] as const) {
    expect(seen[scope]).toMatchObject({ webdriver: false, hover: true, screen: seen.page["screen"] });
    for (const key of ["plugins", "mimeTypes", "chrome"]) expect(seen[scope][key]).toEqual(seen.page[key]);
  }
  expect(seen.headers["user-agent"]).toBe(seen.page["userAgent"]);
  expect(seen.headers["accept-language"]).toBe("en-US,en;q=0.9");
}

describe("with stealth", () => {
  test("page, frames, workers and header fields describe one ordinary Chrome", async () => {
    const seen = await look();
    expectOneStory(seen);
    const { page, headers } = seen;
    const major = /Chrome\/(\d+)/.exec(String(page["userAgent"]))?.[1] ?? "";
    expect(page["brands"]).toContain(`Google Chrome ${major}`);
    expect(
      String(headers["sec-ch-ua"])
        .split(", ")
        .map((brand) => brand.replace('";v="', " ").replaceAll('"', "")),
    ).toEqual(
      // An array of texts, made by the page above.
      page["brands"] as string[],
    );
    expect(headers["sec-ch-ua-platform"]).toBe('"Linux"');
    expect(page).toMatchObject({
      platform: "Linux x86_64",
      pdfViewerEnabled: true,
      mimeTypes: ["application/pdf", "text/pdf"],
    });
    expect(page["plugins"]).toHaveLength(5);
    expect(page["pluginTypes"]).toEqual([
      "[object PluginArray]",
      "[object MimeTypeArray]",
      "[object Plugin]",
      "application/pdf",
    ]);
    expect(page["chrome"]).toEqual(["loadTimes", "csi", "app"]);
    expect([page["permission"], page["asked"]]).toEqual(["default", "prompt"]);
    expect(String(Object(page["webgl"])[4])).toMatch(/^ANGLE \((?:Intel|AMD|NVIDIA)/);
    expect(String(page["timeZone"])).toStartWith("America/");
    const { width, height, availHeight } = Object(page["screen"]);
    const { outerWidth, outerHeight, screenX, screenY } = Object(page["window"]);
    expect(availHeight).toBeLessThan(height);
    expect(screenX + outerWidth).toBeLessThanOrEqual(width);
    expect(screenY + outerHeight).toBeLessThanOrEqual(height);
    expect(JSON.stringify(seen)).not.toContain("Headless");
    expect(JSON.stringify(seen)).not.toContain("SwiftShader");
  });

  test("a caller's user agent gets the client hints and the computer that match it", async () => {
    const seen = await look(WINDOWS);
    expectOneStory(seen);
    expect(seen.page).toMatchObject({
      userAgent: WINDOWS,
      platform: "Win32",
      hints: { platform: "Windows", uaFullVersion: "150.0.0.0" },
    });
    expect(seen.headers["sec-ch-ua-platform"]).toBe('"Windows"');
    expect(String(Object(seen.page["webgl"])[4])).toContain("Direct3D11");
  });

  test("a user agent that is not Chrome's gets no client hints", async () => {
    const seen = await look(FIREFOX);
    expectOneStory(seen);
    expect(seen.page).toMatchObject({ userAgent: FIREFOX, platform: "Win32" });
    for (const key of ["brands", "hints", "chrome"]) expect(seen.page[key]).toBeUndefined();
    expect(seen.headers["sec-ch-ua"]).toBeUndefined();
  });

  test("pictures differ from visit to visit", async () => {
    const seeds = await Promise.all(Array.from({ length: 4 }, () => look()));
    expect(new Set(seeds.map(({ page }) => Object(page["canvas"]).hash)).size).toBeGreaterThan(1);
  });
});

test("without stealth, page, frames and workers describe the real browser, but not a headless one", async () => {
  const seen = await look(undefined, false);
  for (const scope of SCOPES) {
    for (const key of SAME) expect([scope, key, seen[scope][key]]).toEqual([scope, key, seen.page[key]]);
    expect(JSON.stringify(seen[scope])).not.toContain("Headless");
  }
});

test("the properties for a visit match each other, and every combination occurs", () => {
  for (const system of ["linux", "windows", "mac"] as const) {
    const drawn = Array.from({ length: 200 }, (_, n) => drawProfile(system, () => ((n * 7919) % 1009) / 1009));
    for (const { gpu, screen, bars, position, memory, cores } of drawn) {
      expect(gpu.renderer.startsWith("ANGLE (")).toBe(true);
      expect(gpu.renderer).toMatch(system === "linux" ? /OpenGL/ : system === "mac" ? /Metal/ : /Direct3D11/);
      expect(position.x + 1280).toBeLessThanOrEqual(screen.width);
      expect(position.y + bars + 807).toBeLessThanOrEqual(screen.height);
      expect([4, 8, 16, 32]).toContain(memory);
      expect(cores % 2).toBe(0);
    }
    expect(new Set(drawn.map(({ timeZone }) => timeZone)).size).toBe(4);
  }
});
