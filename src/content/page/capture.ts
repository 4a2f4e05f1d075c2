/** The formats that a picture of a page may have. */
export type PictureFormat = "png" | "jpeg" | "webp";

/** How a page is shown in a picture, with every default filled in. */
export interface PictureRequest {
  readonly format: PictureFormat;
  /** 0 to 100, of jpeg and webp; a webp of 100 loses nothing. */
  readonly quality: number;
  /** Whether the picture is as wide and as high as the page. */
  readonly fullPage: boolean;
  /** Pixels of the picture; of a full page, those of the window that it is laid out for. */
  readonly width: number;
  readonly height: number;
}

export interface Picture {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether the page goes on below or beside the picture. */
  readonly truncated: boolean;
}

/** How a page is printed; lengths are in inches, and a margin that is left out is the browser's own. */
export interface PrintRequest {
  readonly landscape: boolean;
  readonly printBackground: boolean;
  readonly scale: number;
  readonly paperWidth: number;
  readonly paperHeight: number;
  readonly marginTop: number;
  readonly marginBottom: number;
  readonly marginLeft: number;
  readonly marginRight: number;
}

/** A response may have this many bytes: a gateway holds no more of one that waits for its payment. */
export const MAX_CAPTURE_BYTES = 32 * 1024 * 1024 - 64 * 1024;
