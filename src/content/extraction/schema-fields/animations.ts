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
  let result = style;
  for (const run of runsOf(style)) {
    const frames = run.words.map((word) => animations.get(word)).find((one) => one !== undefined);
    if (frames !== undefined) result = afterOne(result, frames, run);
  }
  return result;
}

interface Run {
  readonly words: readonly string[];
  /** Whether the words are of one declaration, so that none of them overrules another. */
  readonly isClear: boolean;
}

function runsOf(style: Declarations): Run[] {
  const short = listOf(style.get("animation"));
  const own = ANIMATION.map((name) => listOf(style.get(name)));
  const [names = []] = own;
  return Array.from({ length: Math.max(short.length, names.length) }, (_, at) => {
    const parts = own.flatMap((list) => (list.length === 0 ? [] : (list[at % list.length] ?? "")));
    const words = [short[at] ?? "", ...parts].join(" ").split(/\s+/);
    return { words, isClear: short.length === 0 || parts.length === 0 };
  });
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

function afterOne(style: Declarations, { first, last, all }: Frames, { words, isClear }: Run): Declarations {
  const has = (...some: readonly string[]) => some.some((word) => words.includes(word));
  const [duration = 0, delay = 0] = words.flatMap(secondsOf);
  const [isBefore, isAfter] = [has("backwards", "both"), has("forwards", "both")];
  const isTurned = has("reverse", "alternate", "alternate-reverse");
  const isEarly = (duration >= SLOW_S && !has("infinite")) || (delay >= LATE_S && isBefore);
  if (has("paused") || isEarly) {
    const hiding = (has("paused") ? all : isTurned ? [first, last] : [first]).find((frame) =>
      hides(new Map([...style, ...frame])),
    );
    return hiding === undefined ? style : new Map([...style, ...hiding]);
  }
  if (has("infinite")) {
    const isAlways = all.length > 0 && all.every((frame) => hides(new Map([...style, ...frame])));
    return isAlways ? new Map([...style, ...last]) : style;
  }
  if (!isAfter || delay >= LATE_S) return style;
  const ends = (isTurned ? [first, last] : [last]).map((frame) => new Map([...style, ...frame]));
  const hidden = ends.find(hides);
  if (hidden !== undefined) return hidden;
  return isTurned || !isClear ? style : (ends[0] ?? style);
}

function secondsOf(word: string): number | readonly [] {
  const [, number, unit] = /^(-?(?:\d+(?:\.\d+)?|\.\d+))(m?s)$/.exec(word) ?? [];
  return number === undefined ? [] : Number(number) * (unit === "ms" ? 0.001 : 1);
}
