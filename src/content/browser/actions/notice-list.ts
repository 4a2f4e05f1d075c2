import { type CdpFields } from "../program/cdp.ts";
import { type Notices } from "./host.ts";

/** Dialogs and windows of one step that are named, and characters of a text. A page can open them in a loop. */
const MAX_NOTICES = 20;
const MAX_TEXT = 500;

/** The dialogs and windows of a page, from events of the Page domain. */
export class NoticeList {
  #dialogs: Notices["dialogs"][number][] = [];
  #windows: string[] = [];

  /** An event Page.javascriptDialogOpening. */
  dialog({ type, message }: CdpFields): void {
    if (this.#dialogs.length >= MAX_NOTICES) return;
    this.#dialogs.push({ type: String(type), message: String(message).slice(0, MAX_TEXT) });
  }

  /** An event Page.windowOpen. */
  window({ url }: CdpFields): void {
    if (this.#windows.length < MAX_NOTICES) this.#windows.push(String(url).slice(0, MAX_TEXT));
  }

  /** All since the last call. */
  take(): Notices {
    const notices = { dialogs: this.#dialogs, windows: this.#windows };
    this.#dialogs = [];
    this.#windows = [];
    return notices;
  }
}
