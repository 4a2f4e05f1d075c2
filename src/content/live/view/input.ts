import { z } from "zod";
import { parsedJson } from "../../../lib/parsed-json.ts";
import { type CdpFields } from "../../browser/program/cdp.ts";

/** Pixels that one turn of a wheel scrolls. */
const MAX_SCROLL = 2_000;
/** Characters of the name of a key. */
const MAX_NAME = 32;
/** UTF-16 units of one character, which the browser takes at once. */
const MAX_TEXT = 4;
const MAX_CLICKS = 3;

/** Bits of the modifier keys in the protocol: Alt, Ctrl, Meta and Shift. */
const SHIFT = 8;
const ALL_MODIFIERS = 15;

/** The number of the page that the person has seen. */
const page = z.int();
/** A place in the picture: shares of its width and of its height. */
const share = z.number().min(0).max(1);
const scroll = z.number().min(-MAX_SCROLL).max(MAX_SCROLL);
const modifiers = z.int().min(0).max(ALL_MODIFIERS);

const input = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("mouse"),
    page,
    action: z.enum(["move", "down", "up"]),
    x: share,
    y: share,
    button: z.enum(["none", "left", "middle", "right"]),
    clicks: z.int().min(0).max(MAX_CLICKS),
    modifiers,
  }),
  z.strictObject({ type: z.literal("wheel"), page, x: share, y: share, dx: scroll, dy: scroll }),
  z.strictObject({
    type: z.literal("key"),
    page,
    action: z.enum(["down", "up"]),
    key: z.string().min(1).max(MAX_NAME),
    code: z.string().regex(/^\w*$/).max(MAX_NAME),
    keyCode: z.int().min(0).max(255),
    modifiers,
  }),
  z.strictObject({ type: z.literal("text"), page, text: z.string().min(1).max(MAX_TEXT) }),
]);

/** An act of a person in the picture of a page: by the mouse, its wheel or a key, or one character of a text. */
export type Input = z.output<typeof input>;

/** Reads the message of a viewer. Undefined if it is not an input. */
export function inputOf(text: string): Input | undefined {
  return input.safeParse(parsedJson(text)).data;
}

/** The area of a page that a picture shows, in CSS pixels. */
export interface Area {
  readonly width: number;
  readonly height: number;
  /** The height of what the picture shows above the page. */
  readonly top: number;
}

const MOUSE = { move: "mouseMoved", down: "mousePressed", up: "mouseReleased" } as const;

/** The call of the protocol for an input. All its values are made here, and its place is in the page. */
export function callOf(one: Input, area: Area): readonly [method: string, params: CdpFields] {
  if (one.type === "text") return ["Input.dispatchKeyEvent", { type: "char", text: one.text }];
  if (one.type === "key") return ["Input.dispatchKeyEvent", keyOf(one)];
  const place = placeOf(one, area);
  if (one.type === "wheel")
    return ["Input.dispatchMouseEvent", { type: "mouseWheel", ...place, deltaX: one.dx, deltaY: one.dy }];
  const { action, button, clicks, modifiers: held } = one;
  return ["Input.dispatchMouseEvent", { type: MOUSE[action], ...place, button, clickCount: clicks, modifiers: held }];
}

function placeOf({ x, y }: { readonly x: number; readonly y: number }, { width, height, top }: Area) {
  return { x: Math.min(x * width, width - 1), y: Math.min(Math.max(y * height - top, 0), height - 1) };
}

function keyOf({ action, key, code, keyCode, modifiers: held }: Extract<Input, { type: "key" }>): CdpFields {
  const fields = { key, code, windowsVirtualKeyCode: keyCode, modifiers: held };
  if (action === "up") return { type: "keyUp", ...fields };
  const text = typedText(key, held);
  return text === undefined ? { type: "rawKeyDown", ...fields } : { type: "keyDown", ...fields, text };
}

function typedText(key: string, held: number): string | undefined {
  if ((held & ~SHIFT) !== 0) return undefined;
  if (key === "Enter") return "\r";
  return /^.$/u.test(key) ? key : undefined;
}
