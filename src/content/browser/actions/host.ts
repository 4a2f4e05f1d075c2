import { type PictureRequest, type Picture } from "../../page/capture.ts";
import { type PageSource } from "../../page/page.ts";
import { type CaptureHost } from "../capture/show-all.ts";

/** The tab in which steps run. */
export interface ActionHost extends CaptureHost {
  /** Waits until a document that the page has begun to load is there. */
  settled(): Promise<void>;
  /** Requests that the page has begun so far. */
  requests(): number;
  picture(request: PictureRequest): Promise<Picture>;
  snapshot(): Promise<PageSource>;
  /** The dialogs and windows since the last call. */
  takeNotices(): Notices;
}

/** Dialogs and windows of a page, which a tab does not show. */
export interface Notices {
  readonly dialogs: readonly { readonly type: string; readonly message: string }[];
  readonly windows: readonly string[];
}

/** Why a step failed, as the end of a sentence. */
export class StepError extends Error {}
