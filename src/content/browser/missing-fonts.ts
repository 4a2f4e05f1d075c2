import { type FontKind } from "../fonts/font-kinds.ts";
import { type CdpConnection } from "./program/cdp.ts";

/**
 * Draws characters and compares the pixels, because only the browser knows which font it finds for a character. A
 * character without a font looks like the last code point, which no font has, because it is not a character.
 */
const LOOK = `(() => {
  const canvas = new OffscreenCanvas(48, 48);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  const draw = (text, family) => {
    context.clearRect(0, 0, 48, 48);
    context.font = "24px " + family;
    context.fillText(text, 4, 32);
    return context.getImageData(0, 0, 48, 48).data;
  };
  const key = (text, family) => draw(text, family).join();
  const none = (family) => key("\\u{10FFFF}", family);
  const blank = key("", "sans-serif");
  const lacks = (text, family) => [blank, none(family)].includes(key(text, family));
  const width = (text, family) => { context.font = "24px " + family; return context.measureText(text).width; };
  const coloured = () => {
    const data = draw("\\u{1F600}", "sans-serif");
    for (let i = 0; i < data.length; i += 4) if (data[i] !== data[i + 2]) return true;
    return false;
  };
  const missing = [];
  if (lacks("A", "sans-serif") || lacks("é", "sans-serif")) missing.push("latin");
  if (lacks("A", "serif") || key("A", "serif") === key("A", "sans-serif")) missing.push("serif");
  if (lacks("A", "monospace") || width("i", "monospace") !== width("M", "monospace")) missing.push("mono");
  if (["你", "體", "か", "한"].some((text) => lacks(text, "sans-serif"))) missing.push("cjk");
  if (lacks("\\u{1F600}", "sans-serif") || !coloured()) missing.push("emoji");
  return missing;
})()`;

/** The kinds of text that the browser has no font for, tested in a separate tab. */
export async function missingFonts(cdp: CdpConnection): Promise<readonly FontKind[]> {
  const context = await cdp.send("Target.createBrowserContext", { disposeOnDetach: true });
  const browserContextId = context["browserContextId"];
  try {
    const { targetId } = await cdp.send("Target.createTarget", { url: "about:blank", browserContextId });
    const { sessionId } = await cdp.send("Target.attachToTarget", { targetId, flatten: true });
    const response = await cdp.send("Runtime.evaluate", { expression: LOOK, returnByValue: true }, String(sessionId));
    // The protocol gives a RemoteObject as `result`. Our script made its value.
    const { value } = response["result"] as { readonly value: readonly FontKind[] };
    return value;
  } finally {
    await cdp.send("Target.disposeBrowserContext", { browserContextId }).catch(() => undefined);
  }
}
