import { type Survey } from "./survey.ts";

/** Evidence that a page shows its content by script. */
export interface Sign {
  /** The name in the documentation and in errors. */
  readonly name: string;
  /** Whether the page shows the sign. Linear in the page's length. */
  readonly shown: (page: Survey) => boolean;
}
