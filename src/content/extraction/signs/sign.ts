import { type Survey } from "./survey.ts";

/** A sign is evidence that a page needs a browser, because scripts load or change its content. */
export interface Sign {
  /** The name in the documentation and in errors. */
  readonly name: string;
  /** Whether the page has the sign. Takes time linear in the page's length. */
  readonly shown: (page: Survey) => boolean;
}
