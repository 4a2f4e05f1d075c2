import { Element, isText, Text } from "domhandler";
import { adapter } from "parse5-htmlparser2-tree-adapter";

/**
 * The library's adapter with one difference: elements without prefixed attributes get no objects for namespaces and
 * prefixes. These two objects took a fifth of all parsing (`npm run bench -- markdown`).
 */
export const leanAdapter: typeof adapter = {
  ...adapter,

  createElement(name, namespace, attributes) {
    const attribs = noAttributes();
    for (const { name: key, value, namespace: own, prefix } of attributes) {
      if (own !== undefined || prefix !== undefined) {
        const plain = attributes.map((attribute) => ({ ...attribute, value: withoutTags(attribute.value) }));
        return adapter.createElement(name, namespace, plain);
      }
      attribs[key] = withoutTags(value);
    }
    const element = new Element(name, attribs, []);
    element.namespace = namespace;
    return element;
  },

  insertText(parent, data) {
    const text = withoutTags(data);
    const { children } = parent;
    const last = children[children.length - 1];
    if (last !== undefined && isText(last)) {
      last.data += text;
      return;
    }
    const node = new Text(text);
    if (last !== undefined) {
      last.next = node;
      node.prev = last;
    }
    children.push(node);
    node.parent = parent;
  },

  adoptAttributes(recipient, attributes) {
    // Only tokens of `html` and `body` get here, and their attributes have no namespace.
    for (const { name, value } of attributes) recipient.attribs[name] ??= value;
  },
};

/**
 * Without the characters that Unicode calls tags, which repeat ASCII without a shape: a reader sees nothing, and a language
 * model reads the text. They stay in the flags of regions (UTS #51 §1.4.3).
 */
function withoutTags(text: string): string {
  if (!text.includes("\udb40")) return text;
  return text.replace(/(\u{1f3f4}[\u{e0030}-\u{e007a}]{2,6}\u{e007f})|[\u{e0000}-\u{e007f}]/gu, "$1");
}

/** Has no prototype, since a page may name an attribute `constructor`. */
function noAttributes(): Record<string, string> {
  // TypeScript's own declarations have no better type for it.
  return Object.create(null) as Record<string, string>;
}
