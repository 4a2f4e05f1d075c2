const START = /^payment[ \t]+/i;

/** The credential in a value of Authorization, not decoded; undefined if the value is of another scheme. */
export function credentialIn(value: string): string | undefined {
  return START.test(value) ? value.replace(START, "") : undefined;
}
