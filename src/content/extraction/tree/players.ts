import { type Element } from "domhandler";

/** Known players by the host and path of their frames. All other frames are left out. */
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

/** The address of the media in an embedded player. Undefined if the frame is not a known player. */
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

/** The title of a video, audio element or frame. Empty if it has no title. */
export function mediaLabel({ attribs }: Element): string {
  const labels = [attribs["title"], attribs["aria-label"], attribs["name"]];
  return labels.map((label) => label?.replace(/\s+/g, " ").trim() ?? "").find((label) => label !== "") ?? "";
}
