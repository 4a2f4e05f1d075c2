/** Where a frame shows something that a reader would follow, by the frame's host and path; all other frames are left out. */
const PLAYERS: readonly (readonly [RegExp, (found: RegExpExecArray) => string])[] = [
  [
    /^https?:\/\/(?:www\.)?youtube(?:-nocookie)?\.com\/embed\/([\w-]{6,20})(?:[?#]|$)/,
    ([, id = ""]) => `https://www.youtube.com/watch?v=${id}`,
  ],
  [/^https?:\/\/player\.vimeo\.com\/video\/(\d+)/, ([, id = ""]) => `https://vimeo.com/${id}`],
  [
    /^https?:\/\/(?:www\.)?dailymotion\.com\/embed\/video\/(\w+)/,
    ([, id = ""]) => `https://www.dailymotion.com/video/${id}`,
  ],
  [/^https?:\/\/open\.spotify\.com\/embed\/(\w+\/\w+)/, ([, path = ""]) => `https://open.spotify.com/${path}`],
  [
    /^https?:\/\/codepen\.io\/([\w-]+)\/embed\/(?:preview\/)?(\w+)/,
    ([, user = "", id = ""]) => `https://codepen.io/${user}/pen/${id}`,
  ],
  [
    /^https?:\/\/(?:w\.soundcloud\.com\/player|(?:www\.)?google\.com\/maps\/embed|player\.twitch\.tv|archive\.org\/embed)\b/,
    ([whole]) => whole,
  ],
];

/** The address of what an embedded player shows; undefined where the frame is no known player. */
export function playerAddress(address: string): string | undefined {
  for (const [pattern, make] of PLAYERS) {
    const found = pattern.exec(address);
    if (found !== null) {
      const made = make(found);
      return made === found[0] ? address : made;
    }
  }
  return undefined;
}
