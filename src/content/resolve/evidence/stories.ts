import { type Source } from "../reading/analysis.ts";
import { Story } from "./story.ts";

/**
 * For each source, the index of the first source that tells the same story. Near-duplicate texts count as one voice.
 */
export function storiesOf(sources: readonly Source[]): number[] {
  const stories = sources.map((source) => new Story(source.text));
  const first: number[] = [];
  for (const [index, story] of stories.entries()) {
    const same = stories.findIndex((other, at) => at < index && story.isSameAs(other));
    first.push(same < 0 ? index : (first[same] ?? index));
  }
  return first;
}
