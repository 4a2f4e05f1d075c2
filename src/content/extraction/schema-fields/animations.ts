import { ANIMATION, type Declarations, hides } from "./hiding-styles.ts";

export interface Frames {
  readonly first: Declarations;
  readonly last: Declarations;
  readonly all: readonly Declarations[];
}

/** Seconds after which a reader has seen the page. */
const LATE_S = 5;
/** Seconds of an animation that a reader sees only at its beginning. */
const SLOW_S = 60;

/** The styles of an element when its animations have ended, or as they are for long. It hides rather than shows. */
export function afterAnimations(style: Declarations, animations: ReadonlyMap<string, Frames>): Declarations {
  if (animations.size === 0) return style;
  const short = listOf(style.get("animation"));
  const own = ANIMATION.map((name) => listOf(style.get(name)));
  const [names = []] = own;
  // Of a shorthand and a part of it, each may overrule the other.
  const isClear = short.length === 0 || own.every((list) => list.length === 0);
  let result = style;
  for (let at = 0; at < Math.max(short.length, names.length); at += 1) {
    const words = [short[at] ?? "", ...own.map((list) => list[at % list.length] ?? "")].join(" ").split(/\s+/);
    const frames = words.map((word) => animations.get(word)).find((one) => one !== undefined);
    if (frames !== undefined) result = afterOne(result, frames, words, isClear);
  }
  return result;
}

/** Animations of an element. @bound */
const MAX_LIST = 20;

/** The parts of a list, whose timing functions may have commas. */
function listOf(value: string | undefined): readonly string[] {
  if (value === undefined) return [];
  return value
    .replace(/\([^()]*\)/g, "")
    .split(",")
    .slice(0, MAX_LIST);
}

function afterOne(
  style: Declarations,
  { first, last, all }: Frames,
  words: readonly string[],
  isClear: boolean,
): Declarations {
  const has = (...some: readonly string[]) => some.some((word) => words.includes(word));
  const withFrame = (frame: Declarations): Declarations => new Map([...style, ...frame]);
  const [duration = 0, delay = 0] = words.flatMap(secondsOf);
  const isTurned = has("reverse", "alternate", "alternate-reverse");
  const ends = isTurned ? [first, last] : [last];
  const seen = (): readonly Declarations[] => {
    if (has("paused")) return all;
    const isEarly = (duration >= SLOW_S && !has("infinite")) || (delay >= LATE_S && has("backwards", "both"));
    if (isEarly) return isTurned ? ends : [first];
    if (has("infinite")) return all.every((frame) => hides(withFrame(frame))) ? all : [];
    return has("forwards", "both") && delay < LATE_S ? ends : [];
  };
  const frames = seen();
  const hidden = frames.map(withFrame).find(hides);
  return hidden ?? (frames === ends && !isTurned && isClear ? withFrame(last) : style);
}

function secondsOf(word: string): number | readonly [] {
  const [, number, unit] = /^(-?(?:\d+(?:\.\d+)?|\.\d+))(m?s)$/.exec(word) ?? [];
  return number === undefined ? [] : Number(number) * (unit === "ms" ? 0.001 : 1);
}
