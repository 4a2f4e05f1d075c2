import { type Fields } from "../../../lib/http/fields.ts";

/** Bytes from the start of a message's body that a filter can see. @bound */
export const BODY_VIEW_BYTES = 65_536;

/** The filter's view of a request. Texts are latin1, with one character for each byte. */
export interface RequestView {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly fields: Fields;
  /** The length of the whole body, in bytes. */
  readonly bodyLength: number;
  /** The first BODY_VIEW_BYTES of the body. */
  readonly body: Uint8Array;
}

export interface ResponseView {
  readonly status: number;
  readonly fields: Fields;
  readonly bodyLength: number;
  readonly body: Uint8Array;
}

/** The bytes of a message without a body. */
export const NO_BODY = new Uint8Array();
