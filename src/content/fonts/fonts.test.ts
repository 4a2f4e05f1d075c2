import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, realpathSync } from "node:fs";
import { basename, join } from "node:path";
import { type CdpFields } from "../browser/program/cdp.ts";
import { type BrowserProgram, browserPrograms } from "../browser/program/find.ts";
import { launchBrowser } from "../browser/launch.ts";
import { type RunningBrowser } from "../browser/program/running-browser.ts";
import { createStateFolder } from "../testing/state-folder.ts";
import { fontFolders } from "./font-packages.ts";
import { unpackFonts } from "./packed-fonts.ts";
import { missingFonts } from "../browser/missing-fonts.ts";
import { FONT_KINDS } from "./font-kinds.ts";
import { patient } from "../../lib/testing/patience.ts";

// A browser on a busy machine can be slow.
setDefaultTimeout(patient(60_000));

const state = createStateFolder();
let program: BrowserProgram;
let browser: RunningBrowser;

beforeAll(async () => {
  const found = await browserPrograms(undefined, state.path).next();
  if (found.done === true) throw new Error("Cannot find a browser");
  program = found.value;
  browser = await launchBrowser(program, state.path, { sandboxed: false });
});

afterAll(async () => {
  await browser.close();
  state.remove();
});

/** The missing kinds of text in a browser that has only the fonts of these folders. */
async function missingWith(folders: readonly string[]): Promise<readonly string[]> {
  const file = join(state.path, `few-${folders.length}.conf`);
  const dirs = folders.map((folder) => `<dir>${Bun.escapeHTML(folder)}</dir>`).join("");
  const cache = `<cachedir>${join(state.path, "few-cache")}</cachedir>`;
  await Bun.write(file, `<?xml version="1.0"?><fontconfig>${dirs}${cache}</fontconfig>`);
  const environment = { ...program.environment, FONTCONFIG_FILE: file };
  const other = await launchBrowser({ ...program, environment }, state.path, { sandboxed: false });
  try {
    return await missingFonts(other.cdp);
  } finally {
    await other.close();
  }
}

/** The font families with which the browser draws an element. */
async function familiesOf(html: string): Promise<readonly string[]> {
  const { cdp } = browser;
  const { targetId } = await cdp.send("Target.createTarget", { url: "about:blank" });
  const session = String((await cdp.send("Target.attachToTarget", { targetId, flatten: true }))["sessionId"]);
  const call = (method: string, params: CdpFields = {}) => cdp.send(method, params, session);
  // The browser names the fonts of what it has laid out.
  const shown = `document.body.innerHTML = ${JSON.stringify(`<p>${html}</p>`)}; document.body.offsetHeight`;
  await call("Runtime.evaluate", { expression: shown });
  await call("DOM.enable");
  await call("CSS.enable");
  // The types of the DevTools protocol.
  const { root } = (await call("DOM.getDocument")) as { root: { nodeId: number } };
  const { nodeId } = await call("DOM.querySelector", { nodeId: root.nodeId, selector: "p" });
  const { fonts } = (await call("CSS.getPlatformFontsForNode", { nodeId })) as { fonts: { familyName: string }[] };
  await cdp.send("Target.closeTarget", { targetId });
  return fonts.map(({ familyName }) => familyName);
}

test("with the program's fonts, every kind of text has a font", async () => {
  expect(fontFolders()).toHaveLength(2);
  expect(await missingFonts(browser.cdp)).toEqual([]);
});

test("kinds of text without a font are distinguished from those with one", async () => {
  expect(await missingWith([])).toEqual([...FONT_KINDS]);
  const unpacked = realpathSync(await unpackFonts(state.path));
  const [sans = "", serif = "", mono = ""] = ["Arimo", "Tinos", "Cousine"].map((family) => {
    const folder = join(state.path, family);
    const isOfFamily = (file: string): boolean => basename(file).startsWith(`${family}_`);
    cpSync(unpacked, folder, { recursive: true, filter: (file) => file === unpacked || isOfFamily(file) });
    return folder;
  });
  expect(await missingWith([sans, serif, mono])).toEqual(["cjk", "emoji"]);
  expect(await missingWith([sans])).toEqual(["serif", "mono", "cjk", "emoji"]);
});

test.each([
  ["<span style='font-family: sans-serif'>Grüße, Привет, Ελλάδα</span>", "Arimo"],
  ["<span style='font-family: Arial'>fox</span>", "Arimo"],
  ["<span style='font-family: serif'>Grüße, Привет, Ελλάδα</span>", "Tinos"],
  ["<span style='font-family: monospace'>let x = 1;</span>", "Cousine"],
  ["<span lang=zh-CN>你好骨</span>", "Noto Sans CJK SC"],
  ["<span>你好骨</span>", "Noto Sans CJK SC"],
  ["<span lang=zh-TW>體骨</span>", "Noto Sans CJK TC"],
  ["<span lang=ja>日本骨カナ</span>", "Noto Sans CJK JP"],
  ["<span lang=ko>한국어</span>", "Noto Sans CJK KR"],
  ["مرحبا", "Noto Naskh Arabic"],
  ["नमस्ते", "Noto Sans Devanagari"],
  ["😀🎉👍🏽🇩🇪", "Noto Color Emoji"],
  ["សួស្តី", "Noto Sans Khmer"],
  ["ສະບາຍດີ", "Noto Sans Lao"],
  ["สวัสดีชาวโลก", "Noto Sans Thai"],
  ["বাংলাদেশ", "Noto Sans Bengali"],
  ["<b>বাংলাদেশ</b>", "Noto Sans Bengali"],
  ["வணக்கம்", "Noto Sans Tamil"],
  ["తెలుగు", "Noto Sans Telugu"],
  ["Հայաստան", "Noto Sans Armenian"],
  ["საქართველო", "Noto Sans Georgian"],
  ["ኢትዮጵያ", "Noto Sans Ethiopic"],
  ["ಕನ್ನಡ", "Noto Sans Kannada"],
  ["മലയാളം", "Noto Sans Malayalam"],
  ["ગુજરાતી", "Noto Sans Gujarati"],
  ["ਪੰਜਾਬੀ", "Noto Sans Gurmukhi"],
  ["ଓଡ଼ିଆ", "Noto Sans Oriya"],
  ["සිංහල", "Noto Sans Sinhala"],
  ["မြန်မာဘာသာ", "Noto Sans Myanmar"],
  ["<b>မြန်မာဘာသာ</b>", "Noto Sans Myanmar"],
  ["བོད་སྐད", "Noto Serif Tibetan"],
  ["⚑⚥", "Noto Sans Symbols"],
  ["✗✕❯➜⏻", "Noto Sans Symbols 2"],
  ["⠃⠗⠁⠊", "Noto Sans Symbols 2"],
  ["⟨⋅⟩⟶⋮𝔸", "Noto Sans Math"],
  ["❤\u{fe0f}✔\u{fe0f}", "Noto Color Emoji"],
  ["<span style='font-family: sans-serif'>שלום, ἀρχή</span>", "Arimo"],
  ["<span style='font-family: serif'>שלום, ἀρχή</span>", "Tinos"],
])("%s is drawn with %s", async (html, family) => {
  expect(await familiesOf(html)).toEqual([family]);
});
