import { TurnpikeError } from "../../../lib/errors.ts";
import { MAX_CAPTURE_BYTES, type Picture, type PictureFormat, type PictureRequest } from "../../page/capture.ts";
import { PixelBudget } from "../../page/pixel-budget.ts";
import { CdpError, type CdpFields } from "../program/cdp.ts";
import { type CaptureHost, endMovements, received, showAll, waitForPaint } from "./show-all.ts";
import { stitch } from "./stitch.ts";

/** Pixels. A picture of a full page is cut at this height, or when it has MAX_FULL_PAGE_PIXELS. @operator */
const MAX_PICTURE_HEIGHT: Readonly<Record<PictureFormat, number>> = {
  png: 30_000,
  jpeg: 30_000,
  // The format's limit (VP8 frame header: 14 bits).
  webp: 16_383,
};

/** Pixels. A picture of a full page that is wider than its window is cut at this width. */
const MAX_PICTURE_WIDTH = 16_383;

/**
 * Pixels of a picture of a full page. @operator At this limit, a picture takes 1.3 GB in four processes;
 * 100 million would take 2.5 GB.
 */
const MAX_FULL_PAGE_PIXELS = 40_000_000;

/**
 * Pixels. A larger window is captured in bands: 10,000 by 10,000 at once takes 3.2 GB in four processes and 5.5 s, in
 * bands 1.3 GB and 2.5 s. Content below the window cannot be captured in bands, because each band would cost as much as
 * the whole. @bound
 */
const MAX_UNDIVIDED_PIXELS = 10_000_000;
const BAND_PIXELS = 5_000_000;

/** Maximum number of bytes of a picture in bands as a PNG, before it is converted to jpeg or webp. */
const MAX_BETWEEN_BYTES = 128 * 1024 * 1024;

/** Maximum number of pixels of all pictures that are captured at one time. */
const MAX_PIXELS_AT_ONCE = 32_000_000;

/** One budget for the process, because the process's memory is the limit. */
const budget = new PixelBudget(MAX_PIXELS_AT_ONCE);

/** Takes a picture of the page as it stands. For a full page, it first scrolls through the page. */
export async function takePicture(host: CaptureHost, request: PictureRequest): Promise<Picture> {
  host.deadline.doing("capturing");
  const { truncated, ...area } = await fitting(host, request);
  const release = await budget.take(area.width * area.height, (promise) => host.deadline.race(promise));
  try {
    const bytes = await (request.fullPage ? capture : captureAtRest)(host, request, area);
    if (bytes.length > MAX_CAPTURE_BYTES) throw tooLarge();
    return { bytes, truncated };
  } catch (error) {
    throw pictureError(error);
  } finally {
    release();
  }
}

/** The captured part of the page. `left` is below 0 on a page that extends to the left. */
interface Area {
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

/** The size of the picture, after all content that it shows has loaded. */
async function fitting(host: CaptureHost, request: PictureRequest): Promise<Area & { truncated: boolean }> {
  const { format, fullPage, width, height } = request;
  if (!fullPage) {
    await waitForPaint(host);
    return { left: 0, width, height, truncated: false };
  }
  const isCut = await showAll(host, highest(format, { width, height }), "picture");
  const { cssContentSize } = await layout(host);
  const wanted = {
    width: isCut ? width : Math.max(width, Math.ceil(cssContentSize.width)),
    height: Math.max(height, Math.ceil(cssContentSize.height)),
  };
  const shown = Math.min(wanted.width, Math.max(width, MAX_PICTURE_WIDTH));
  const most = highest(format, { width: shown, height });
  const truncated = wanted.height > most || wanted.width > shown;
  // A page that is written from right to left extends to the left.
  const left = cssContentSize.x < 0 && !isCut ? Math.max(cssContentSize.x, width - shown) : 0;
  return { left, width: shown, height: Math.min(wanted.height, most), truncated };
}

/** The greatest height of a picture of a full page in pixels; never less than that of its window. */
function highest(
  format: PictureFormat,
  { width, height }: { readonly width: number; readonly height: number },
): number {
  return Math.max(height, Math.min(MAX_PICTURE_HEIGHT[format], Math.floor(MAX_FULL_PAGE_PIXELS / width)));
}

/**
 * Looks for movements and requests of scripts while it captures the window, and captures it again after their end. Most
 * pages are at rest, and do not wait.
 */
async function captureAtRest(host: CaptureHost, request: PictureRequest, area: Area): Promise<Uint8Array<ArrayBuffer>> {
  // A movement that ends between the capture and the look would not be seen, so the look comes first.
  const [moved, bytes] = await Promise.all([endMovements(host), capture(host, request, area)]);
  if (!moved && !(await received(host))) return bytes;
  await waitForPaint(host);
  return await capture(host, request, area);
}

async function capture(host: CaptureHost, request: PictureRequest, area: Area): Promise<Uint8Array<ArrayBuffer>> {
  const { format, quality } = request;
  const { left, width, height } = area;
  const lossy = format === "png" ? {} : { quality };
  if (height > request.height || width > request.width) {
    const clip = { x: left, y: 0, width, height, scale: 1 };
    return await shot(host, { format, ...lossy, clip, captureBeyondViewport: true });
  }
  if (width * height <= MAX_UNDIVIDED_PIXELS) return await shot(host, { format, ...lossy });
  const png = await stitch(bands(host, width, height), format === "png" ? MAX_CAPTURE_BYTES : MAX_BETWEEN_BYTES);
  if (format === "png") return png;
  const image = new Bun.Image(png);
  // The browser encodes these qualities the same way.
  if (format === "jpeg") return await bytesOf(image.jpeg({ quality: Math.max(1, quality) }));
  return await bytesOf(image.webp(quality === 100 ? { lossless: true } : { quality }));
}

async function bytesOf(image: Bun.Image): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await image.bytes());
}

async function* bands(host: CaptureHost, width: number, height: number): AsyncGenerator<Uint8Array> {
  const { cssLayoutViewport } = await layout(host);
  const { pageX: x, pageY } = cssLayoutViewport;
  const most = Math.max(1, Math.floor(BAND_PIXELS / width));
  for (let top = 0; top < height; top += most) {
    const clip = { x, y: pageY + top, width, height: Math.min(most, height - top), scale: 1 };
    yield await shot(host, { format: "png", clip });
  }
}

async function shot(host: CaptureHost, params: CdpFields): Promise<Uint8Array<ArrayBuffer>> {
  // A PNG then takes 20 ms of CPU time and not 52, but has 40 to 130 % more bytes.
  const optimizeForSpeed = params["format"] === "png";
  const response = await host.call("Page.captureScreenshot", { ...params, optimizeForSpeed });
  return new Uint8Array(Buffer.from(String(response["data"]), "base64"));
}

interface Layout {
  readonly cssLayoutViewport: { readonly pageX: number; readonly pageY: number };
  readonly cssContentSize: { readonly x: number; readonly width: number; readonly height: number };
}

async function layout(host: CaptureHost): Promise<Layout> {
  // The protocol gives an object of this shape.
  return (await host.call("Page.getLayoutMetrics", {})) as unknown as Layout;
}

function tooLarge(): TurnpikeError {
  const detail = `Cannot capture the page: its picture has more than ${MAX_CAPTURE_BYTES} bytes; ask for a smaller one, or jpeg`;
  return new TurnpikeError("page-failed", detail);
}

function pictureError(error: unknown): unknown {
  if (error instanceof RangeError) return tooLarge();
  if (!(error instanceof CdpError)) return error;
  if (/longer than/.test(error.message)) return tooLarge();
  return new TurnpikeError("page-failed", "Cannot capture the page: the browser returned no picture");
}
