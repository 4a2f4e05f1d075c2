import { type PictureRequest } from "./capture.ts";

/** A step in a page before it is read. Waits are in milliseconds. */
export type PageAction = { readonly timeoutMs: number } & (
  | {
      readonly type: "click";
      readonly selector: string;
      readonly all: boolean;
      readonly button: MouseButton;
      readonly clicks: number;
    }
  | { readonly type: "hover"; readonly selector: string }
  | { readonly type: "fill"; readonly selector: string; readonly text: string }
  /** Types into the element that has the focus. */
  | { readonly type: "write"; readonly text: string }
  /** A key as in `KeyboardEvent.key`, after modifiers: `Control+a`. */
  | { readonly type: "press"; readonly key: string }
  | { readonly type: "select"; readonly selector: string; readonly values: readonly string[] }
  | ({ readonly type: "scroll" } & Scrolling)
  | { readonly type: "wait"; readonly ms: number }
  | { readonly type: "wait"; readonly selector: string; readonly state: "visible" | "attached" | "gone" }
  | { readonly type: "wait"; readonly text: string }
  /** Waits until no request was in progress for half a second. */
  | { readonly type: "wait"; readonly quiet: true }
  | { readonly type: "screenshot"; readonly picture: PictureRequest }
  | { readonly type: "scrape" }
  | { readonly type: "evaluate"; readonly script: string }
);

export type MouseButton = "left" | "right" | "middle";

/** A scroll of the page, or of the element that matches the selector. */
export interface Scrolling {
  readonly selector: string | undefined;
  readonly direction: "down" | "up";
  /** Heights of the window by which the page scrolls. Undefined: to its end, also while it grows. */
  readonly times: number | undefined;
}
