/** An element with a text, which is never markup. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text = "",
  className = "",
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (text !== "") element.textContent = text;
  if (className !== "") element.className = className;
  return element;
}

/** A button that calls `press`. */
export function button(text: string, press: () => void): HTMLButtonElement {
  const element = make("button", text);
  element.type = "button";
  element.addEventListener("click", press);
  return element;
}
