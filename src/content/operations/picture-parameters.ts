import { z } from "@hono/zod-openapi";
import { flag, whole } from "./text.ts";

/** The browser's default quality. */
export const DEFAULT_QUALITY = 80;

export const pictureParameters = {
  format: z.enum(["png", "jpeg", "webp"]).default("png").describe("Image format"),
  full_page: flag().describe(
    "Capture the whole page after scrolling through it, not only the window; at most 16,383 pixels wide, 30,000 " +
      "high (webp: 16,383) and 40 million in all",
  ),
  width: whole(1, 10_000).default(1280).describe("Viewport width in pixels"),
  height: whole(1, 10_000).default(720).describe("Viewport height in pixels"),
  quality: whole(0, 100)
    .optional()
    .describe("Compression quality, only for jpeg and webp; 80 by default, and a webp of 100 is lossless"),
};
