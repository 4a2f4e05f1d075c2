export type PictureFormat = "png" | "jpeg" | "webp";

/** Options for a picture of a page, with all defaults filled in. */
export interface PictureRequest {
  readonly format: PictureFormat;
  /** 0 to 100, for jpeg and webp. A webp with 100 is lossless. */
  readonly quality: number;
  /** True: the picture is as wide and as high as the page. */
  readonly fullPage: boolean;
  /** Pixels of the picture. For a full page, pixels of the window that the page is laid out for. */
  readonly width: number;
  readonly height: number;
}

export interface Picture {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** True if the page continues below or beside the picture. */
  readonly truncated: boolean;
}

/** Options for printing a page. Lengths are in inches. An absent margin is the browser's default. */
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

/** Bytes of a screenshot or a PDF: a gateway buffers no more of a response that waits for its payment. @operator */
export const MAX_CAPTURE_BYTES = 32 * 1024 * 1024 - 64 * 1024;
