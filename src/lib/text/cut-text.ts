/** The first `max` characters (code points, so that no pair of surrogates is torn). */
export function cut(text: string, max: number | undefined): string {
  // A character has one or two UTF-16 code units.
  if (max === undefined || text.length <= max) return text;
  let end = 0;
  for (let taken = 0; taken < max && end < text.length; taken += 1) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}
