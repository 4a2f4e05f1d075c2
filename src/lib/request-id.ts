const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** True where a client's X-Request-Id is kept: 1 to 128 visible ASCII characters. */
export function isRequestId(value: string): boolean {
  return value !== "" && REQUEST_ID.test(value);
}
