import { type ContainerNode, h, render } from "preact";
import { act } from "preact/test-utils";

/** For tests only: a view without elements that uses a hook. */
export interface DrawnHook<T> extends Disposable {
  /** The result of the last drawing. */
  readonly value: T;
  /** Draws the view again, with the hook that it was created with, as after a change of its caller. */
  draw(): void;
}

/** For tests only: draws a view that uses a hook, until it is disposed of. */
export function drawHook<T>(hook: () => T): DrawnHook<T> {
  const parent = {} as ContainerNode; // a view without elements changes nothing in it
  const results: T[] = [];
  const View = (): null => {
    results.splice(0, 1, hook());
    return null;
  };
  const draw = (view: typeof View | null): void => void act(() => render(view && h(view, {}), parent));
  draw(View);
  return {
    get value() {
      const [result] = results;
      return result as T; // the view is drawn
    },
    draw: () => draw(View),
    [Symbol.dispose]: () => draw(null),
  };
}
