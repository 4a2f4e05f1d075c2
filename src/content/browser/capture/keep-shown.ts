/**
 * A script that runs before those of a page. Its observers do not learn that an element leaves the window, so what they have
 * shown stays visible while a capture scrolls on.
 */
export const KEEP_SHOWN = `(() => {
  const withoutLeaving = (callback) => {
    const most = new WeakMap();
    return function (entries, observer) {
      const kept = entries.filter(({ target, intersectionRatio }) => {
        if (intersectionRatio < (most.get(target) ?? 0)) return false;
        most.set(target, intersectionRatio);
        return true;
      });
      if (kept.length > 0) callback.call(this, kept, observer);
    };
  };
  globalThis.IntersectionObserver = new Proxy(IntersectionObserver, {
    construct: (observer, [callback, ...options], made) =>
      Reflect.construct(observer, [typeof callback === "function" ? withoutLeaving(callback) : callback, ...options], made),
  });
})()`;
