const START = /^payment[ \t]+/i;
/** A further credential in the same value: RFC 9110 §11.6.2 allows one. Clients that append to the field write this. */
const JOINED = /,[ \t]*payment[ \t]+[\w\-.~+/]+=*[ \t]*(?:,|$)/i;

/** The credential in a value of Authorization, not decoded; undefined if the value is of another scheme. */
export function credentialIn(value: string): string | undefined {
  return START.test(value) ? value.replace(START, "") : undefined;
}

/** True if a value of Authorization has a credential of the `Payment` scheme behind another one. */
export function hasJoinedCredential(value: string): boolean {
  return JOINED.test(value);
}
