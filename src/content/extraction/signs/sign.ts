import { type Survey } from "./survey.ts";

/** One thing that tells that a page shows its content by script. */
export interface Sign {
  /** As documents and errors call it. */
  readonly name: string;
  /** Whether the page shows the sign; linear in the page's length. */
  readonly shown: (page: Survey) => boolean;
}
