/** A clock that is 5 ms later at each read. */
export function steps(): () => number {
  let now = 0;
  return () => (now += 5);
}
