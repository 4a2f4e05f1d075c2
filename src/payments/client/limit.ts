const AMOUNT = /^(?:\$((?:0|[1-9]\d{0,8})(?:\.\d{1,6})?)|((?:0|[1-9]\d{0,8})(?:\.\d{1,6})?)(?: ?USDC)?)$/i;

/** Reads a limit, such as `0.05`, `0.05 USDC` or `$0.05`, and returns it in the last form. Undefined if the text is not an amount, or zero. */
export function readLimit(text: string): string | undefined {
  const [, dollars, plain] = AMOUNT.exec(text.trim()) ?? [];
  const amount = dollars ?? plain;
  return amount === undefined || !/[1-9]/.test(amount) ? undefined : `$${amount}`;
}
