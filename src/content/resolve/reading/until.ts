/** The items of a list before the first one that ends it. */
export function until<T>(items: readonly T[], isEnd: (item: T, at: number) => boolean): readonly T[] {
  const end = items.findIndex(isEnd);
  return end === -1 ? items : items.slice(0, end);
}
