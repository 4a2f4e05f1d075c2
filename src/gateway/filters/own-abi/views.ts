import { type Fields } from "../../../lib/fields.ts";

/** What a filter sees of a message's body: no more than this of its beginning. @bound */
export const BODY_VIEW_BYTES = 65_536;

/** What a filter sees of a request. Texts are latin1, a character a byte. */
export interface RequestView {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly fields: Fields;
  /** Of the whole body, in bytes. */
  readonly bodyLength: number;
  /** The first BODY_VIEW_BYTES of the body. */
  readonly body: Uint8Array;
}

/** What a filter sees of a response. */
export interface ResponseView {
  readonly status: number;
  readonly fields: Fields;
  readonly bodyLength: number;
  readonly body: Uint8Array;
}

export const NO_BODY = new Uint8Array();
