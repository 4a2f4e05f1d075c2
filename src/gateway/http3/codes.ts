/** Error codes of HTTP/3 (RFC 9114 §8.1). */
export const NO_ERROR = 0x100n;
export const INTERNAL_ERROR = 0x102n;
export const FRAME_UNEXPECTED = 0x105n;
export const EXCESSIVE_LOAD = 0x107n;
export const REQUEST_REJECTED = 0x10bn;
export const REQUEST_CANCELLED = 0x10cn;
export const MESSAGE_ERROR = 0x10en;
