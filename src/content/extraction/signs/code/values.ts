import { type Element, isTag } from "domhandler";
import { textContent } from "domutils";
import { type Scope, type Scopes, type Source } from "./scopes.ts";
import {
  type Class,
  type Fn,
  isClass,
  forEachChild,
  isFunction,
  type Node,
  propertyName,
  isMissing,
} from "./syntax.ts";
import { type PageElements } from "./page-elements.ts";
import { type ESTree } from "meriyah";
import { madeOf, ofText, tagsIn, tested, textOf, UNKNOWN, type Value } from "./value.ts";

const OTHER: Value = { is: "other" };
const NOTHING: Value = { is: "constant", value: undefined };
/** Limits of the expressions that are followed for one value. @bound */
const MAX_DEPTH = 24;
const MAX_EXPRESSIONS = 300;
/** The same in libraries, whose code is long. */
const MAX_LIBRARY_DEPTH = 8;
const MAX_LIBRARY_EXPRESSIONS = 40;
const MAX_TEXT = 4_000;

/** Objects of the browser other than elements. */
const BROWSER = new Set(
  "window document self globalThis top parent location navigator history localStorage sessionStorage console Math JSON Object Array Date Promise Number String performance screen crypto customElements Intl Reflect Symbol".split(
    " ",
  ),
);

/** Methods of elements, lists of elements and jQuery whose result is the same elements, or some of them. */
const SAME =
  /^(?:filter|slice|eq|first|last|not|add|end|each|forEach|map|item|at|get|values|entries|toArray|reverse|sort|concat|addClass|removeClass|toggleClass|attr|css|data|prop|on|off|one|bind|animate|stop|delay|html|text|append|prepend|empty|show|hide|fadeIn|fadeOut|removeAttr|then|catch|finally|addBack|ready)$/;
const SIBLINGS = /^(?:(?:next|previous)(?:Element)?Sibling|next|prev|nextAll|prevAll|siblings)$/;
const ABOVE = /^(?:parent(?:Node|Element)?|parents|parentsUntil|offsetParent)$/;
const BELOW = /^(?:children|childNodes|contents|(?:first|last)(?:Element)?Child|tBodies|rows|cells|elements|options)$/;

/** Finds values of expressions without running the code. */
export class Values {
  readonly scopes: Scopes;
  readonly page: PageElements;
  /** The arguments with which functions were called last. */
  readonly frames = new Map<Fn, readonly Value[]>();
  /** The objects of functions that use `this`. */
  readonly selves = new Map<Fn, Value>();
  /** The element of the script that runs. */
  ownElement: Element | undefined;
  readonly #made = new Map<Node, Value>();
  readonly #exported: (name: string, from: string) => Source | undefined;
  readonly #results = new Set<Node>();
  #depth = 0;
  #left = 0;

  constructor(scopes: Scopes, page: PageElements, exported: (name: string, from: string) => Source | undefined) {
    this.scopes = scopes;
    this.page = page;
    this.#exported = exported;
  }

  of(node: Node | null | undefined, scope: Scope): Value {
    if (isMissing(node)) return NOTHING;
    const { isLibrary } = scope.code;
    if (this.#depth === 0) this.#left = isLibrary ? MAX_LIBRARY_EXPRESSIONS : MAX_EXPRESSIONS;
    this.#left -= 1;
    if (this.#depth >= (isLibrary ? MAX_LIBRARY_DEPTH : MAX_DEPTH) || this.#left < 0) return UNKNOWN;
    this.#depth += 1;
    try {
      return this.#of(node, scope);
    } finally {
      this.#depth -= 1;
    }
  }

  #of(node: Node, scope: Scope): Value {
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- a syntax tree has 80 kinds of nodes
    switch (node.type) {
      case "Literal":
        return "regex" in node ? OTHER : { is: "constant", value: node.value as string | number | boolean | null };
      case "TemplateLiteral":
        return this.#joined(
          [
            ...node.quasis.map(({ value }) => ({ is: "constant", value: value.cooked ?? "" }) as const),
            ...node.expressions.map((one) => this.of(one, scope)),
          ],
          node.expressions.length === 0,
        );
      case "BinaryExpression":
        return this.#binary(node, scope);
      case "Identifier":
        return this.#variable(node.name, scope);
      case "ThisExpression":
        return this.self(scope);
      case "MemberExpression":
        return this.member(this.of(node.object, scope), this.key(node, scope), scope);
      case "ChainExpression":
        return this.of(node.expression, scope);
      case "ParenthesizedExpression":
        return this.of(node.expression, scope);
      case "AwaitExpression":
        return this.of(node.argument, scope);
      case "SpreadElement":
        return this.of(node.argument, scope);
      case "AssignmentExpression": {
        const right = this.of(node.right, scope);
        if (/^(?:\?\?|\|\||&&)?=$/.test(node.operator)) return right;
        return node.operator === "+=" ? { is: "text", text: textOf(right) ?? "" } : OTHER;
      }
      case "SequenceExpression":
        return this.of(node.expressions.at(-1), scope);
      case "LogicalExpression":
        return this.#logical(node, scope);
      case "ConditionalExpression": {
        const test = this.truth(node.test, scope);
        if (test !== undefined) return this.of(test ? node.consequent : node.alternate, scope);
        return this.#either([this.of(node.consequent, scope), this.of(node.alternate, scope)]);
      }
      case "UnaryExpression": {
        if (node.operator === "void") return NOTHING;
        const truth = node.operator === "!" ? this.truth(node.argument, scope) : undefined;
        return truth === undefined ? (node.operator === "!" ? UNKNOWN : OTHER) : { is: "constant", value: !truth };
      }
      case "ArrayExpression":
        return this.#either(node.elements.map((one) => this.of(one, scope)));
      case "ObjectExpression":
        return { is: "object", node, scope };
      case "FunctionDeclaration":
      case "FunctionExpression":
        return { is: "function", node, self: UNKNOWN };
      case "ArrowFunctionExpression":
        return { is: "function", node, self: this.self(scope) };
      case "ClassDeclaration":
      case "ClassExpression":
        return { is: "class", node };
      case "NewExpression":
        return this.#created(node, scope);
      case "CallExpression":
        return this.#called(node, scope);
      default:
        return UNKNOWN;
    }
  }

  /** The property that a member expression names. */
  key(node: ESTree.MemberExpression, scope: Scope): string | undefined {
    const name = propertyName(node);
    if (name !== undefined || !node.computed) return name;
    const key = this.of(node.property, scope);
    return key.is === "constant" ? String(key.value) : undefined;
  }

  /** Whether a condition is true. Undefined if that is not known. */
  truth(node: Node, scope: Scope): boolean | undefined {
    if (node.type === "LogicalExpression" && node.operator !== "??") {
      const [left, right] = [this.truth(node.left, scope), this.truth(node.right, scope)];
      const decides = node.operator === "||";
      if (left === decides || right === decides) return decides;
      return left === undefined || right === undefined ? undefined : !decides;
    }
    const value = this.of(node, scope);
    if (value.is === "constant") return Boolean(value.value);
    if (value.is === "elements") return value.all.length > 0 ? true : isSingle(node) ? false : undefined;
    return value.is === "made" || value.is === "function" || value.is === "class" || value.is === "object"
      ? true
      : undefined;
  }

  self(scope: Scope): Value {
    let at: Scope | undefined = scope;
    while (at !== undefined && (at.owner === undefined || at.owner.type === "ArrowFunctionExpression")) at = at.parent;
    return (at?.owner === undefined ? undefined : this.selves.get(at.owner)) ?? UNKNOWN;
  }

  #joined(parts: readonly Value[], isWhole: boolean): Value {
    const text = parts
      .map((part) => textOf(part) ?? "")
      .join("")
      .slice(0, MAX_TEXT);
    return isWhole ? { is: "constant", value: text } : { is: "text", text };
  }

  #binary({ operator, left, right }: ESTree.BinaryExpression, scope: Scope): Value {
    if (left.type === "PrivateIdentifier") return UNKNOWN;
    const [a, b] = [this.of(left, scope), this.of(right, scope)];
    if (operator === "+") {
      if (a.is === "constant" && b.is === "constant") return this.#joined([a, b], true);
      return textOf(a) === undefined && textOf(b) === undefined ? UNKNOWN : this.#joined([a, b], false);
    }
    if (a.is !== "constant" || b.is !== "constant")
      return /^[=!<>]/.test(operator) || operator === "in" ? UNKNOWN : OTHER;
    // A page compares values of these types as it means to.
    if (operator === "===" || operator === "==") return { is: "constant", value: a.value === b.value };
    if (operator === "!==" || operator === "!=") return { is: "constant", value: a.value !== b.value };
    return typeof a.value === "number" && typeof b.value === "number" && operator === ">"
      ? { is: "constant", value: a.value > b.value }
      : UNKNOWN;
  }

  #logical({ operator, left, right }: ESTree.LogicalExpression, scope: Scope): Value {
    const first = this.of(left, scope);
    const truth =
      operator === "??" ? (first.is === "constant" ? !isMissing(first.value) : undefined) : this.truth(left, scope);
    if (truth !== undefined) return truth === (operator === "&&") ? this.of(right, scope) : first;
    return this.#either([first, this.of(right, scope)]);
  }

  /** The common part of several possible values: all their elements. */
  #either(values: readonly Value[]): Value {
    const [first, ...rest] = values;
    if (first === undefined) return OTHER;
    if (rest.length === 0) return first;
    const all = values.flatMap((value) => (value.is === "elements" ? value.all : []));
    if (all.length > 0) return { is: "elements", all };
    return (
      values.find(({ is }) => is === "made" || is === "function" || is === "text") ??
      (values.every(({ is }) => is === "constant" || is === "other") ? OTHER : UNKNOWN)
    );
  }

  #variable(name: string, scope: Scope): Value {
    const sources = scope.find(name);
    if (sources !== undefined)
      return sources.length === 0 ? UNKNOWN : this.#either(sources.slice(-4).map((source) => this.source(source)));
    if (name === "undefined") return NOTHING;
    if (BROWSER.has(name)) return { is: "global", name };
    const byId = this.page.byId(name);
    if (byId.length > 0) return { is: "elements", all: byId };
    const given = this.#byName(name);
    return given.is === "unknown" ? { is: "global", name } : given;
  }

  source(source: Source): Value {
    switch (source.is) {
      case "value":
      case "each":
        return this.of(source.node, source.scope);
      case "parameter": {
        const frame = this.frames.get(source.owner);
        const value = frame?.[source.index];
        const pattern = source.owner.params[source.index];
        if (value?.is === "constant" && value.value === undefined && pattern?.type === "AssignmentPattern") {
          const inner = this.scopes.of(source.owner);
          return inner === undefined ? UNKNOWN : this.of(pattern.right, inner);
        }
        return value ?? UNKNOWN;
      }
      case "part": {
        if (source.key === "...") {
          const { of } = source;
          const frame = of.is === "parameter" ? this.frames.get(of.owner)?.slice(of.index) : undefined;
          return frame === undefined ? UNKNOWN : this.#either(frame);
        }
        return this.member(this.source(source.of), source.key);
      }
      case "import": {
        const exported = this.#exported(source.name, source.from);
        return exported === undefined ? UNKNOWN : this.source(exported);
      }
      default:
        return UNKNOWN;
    }
  }

  /** The value of a property. */
  member(object: Value, key: string | undefined, scope?: Scope): Value {
    if (key === undefined) return object.is === "elements" ? object : UNKNOWN;
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- other values have no known properties
    switch (object.is) {
      case "global":
        return this.#global(object.name, key, scope);
      case "elements":
        return this.#ofElements(object.all, key);
      case "shadow":
        return key === "host" ? { is: "elements", all: object.all } : UNKNOWN;
      case "made":
        return /^(?:content|(?:first|last)(?:Element)?Child|children|childNodes|parent(?:Node|Element)|0)$/.test(key)
          ? object
          : OTHER;
      case "object":
        return this.property(object, key) ?? this.#byName(key);
      case "instance":
        return this.#field(object, key);
      case "constant":
        return key === "length" && typeof object.value === "string"
          ? { is: "constant", value: object.value.length }
          : UNKNOWN;
      default:
        return this.#byName(key);
    }
  }

  /** The only value that scripts assign to properties with this name. */
  #byName(key: string): Value {
    const [source, ...others] = this.scopes.methods.get(key) ?? [];
    return source === undefined || others.length > 0 ? UNKNOWN : this.source(source);
  }

  property({ node, scope }: Extract<Value, { is: "object" }>, key: string): Value | undefined {
    for (const property of node.properties) {
      if (property.type === "Property" && propertyName(property) === key) {
        const value = this.of(property.value, scope);
        return value.is === "function" && value.node.type !== "ArrowFunctionExpression"
          ? { ...value, self: { is: "object", node, scope } }
          : value;
      }
    }
    return undefined;
  }

  #field(instance: Extract<Value, { is: "instance" }>, key: string): Value {
    if (key === "element" || key === "host") return instance.elements;
    const method = this.method(instance.node, key);
    if (method !== undefined) return { is: "function", node: method, self: instance };
    const fields = this.scopes.fields.get(instance.node)?.get(key);
    if (fields !== undefined) return this.#either(fields.slice(-4).map((source) => this.source(source)));
    return instance.elements.is === "elements" ? this.#ofElements(instance.elements.all, key) : UNKNOWN;
  }

  /** A method of a class, or of the class that it extends. */
  method(of: Class, name: string, depth = 0): Fn | undefined {
    for (const member of of.body.body) {
      if (member.type === "MethodDefinition" && propertyName(member) === name && isFunction(member.value))
        return member.value;
    }
    const base = depth < 3 ? this.base(of) : undefined;
    return base === undefined ? undefined : this.method(base, name, depth + 1);
  }

  base(of: Class): Class | undefined {
    const scope = this.scopes.global;
    const base = isMissing(of.superClass) ? UNKNOWN : this.of(of.superClass, this.scopeOf(of) ?? scope);
    return base.is === "class" && base.node !== of ? base.node : undefined;
  }

  /** The scope in which a class stands, from one of its methods. */
  scopeOf(of: Class): Scope | undefined {
    for (const member of of.body.body) {
      const value = "value" in member ? member.value : undefined;
      if (!isMissing(value) && typeof value === "object" && "type" in value && isFunction(value))
        return this.scopes.of(value)?.parent;
    }
    return undefined;
  }

  #global(name: string, key: string, scope?: Scope): Value {
    if (name === "document") {
      if (key === "body" || key === "documentElement")
        return { is: "elements", all: this.page.select(key === "body" ? "body" : "html") };
      if (key === "head") return { is: "elements", all: this.page.select("head") };
      if (key === "currentScript")
        return this.ownElement === undefined ? UNKNOWN : { is: "elements", all: [this.ownElement] };
      if (key === "links") return { is: "elements", all: this.page.select("a[href]") };
      if (key === "forms" || key === "images")
        return { is: "elements", all: this.page.select(key === "forms" ? "form" : "img") };
      if (key === "cookie" || key === "referrer") return { is: "constant", value: "" };
    }
    if (name === "location") {
      const url = URL.parse(this.page.survey.source.finalUrl);
      if (key === "hash") return { is: "constant", value: "" };
      if (key === "search" || key === "pathname" || key === "hostname" || key === "host")
        return { is: "constant", value: url?.[key] ?? "" };
    }
    if (name === "navigator" && key === "userAgent") return { is: "constant", value: USER_AGENT };
    if (/^(?:local|session)Storage$/.test(name))
      return key === "getItem" ? OTHER : { is: "constant", value: undefined };
    if (
      /^(?:window|self|globalThis|document)$/.test(name) &&
      /^(?:document|location|localStorage|sessionStorage|navigator|history|customElements)$/.test(key)
    )
      return { is: "global", name: key };
    if (/^(?:window|self|globalThis)$/.test(name)) return this.#variable(key, scope?.top ?? this.scopes.global);
    return BROWSER.has(name) ? OTHER : { is: "global", name: `${name}.${key}` };
  }

  #ofElements(all: readonly Element[], key: string): Value {
    if (/^\d+$/.test(key)) return elementsIn([all[Number(key)] ?? all.at(-1)]);
    if (key === "length") return { is: "constant", value: all.length };
    if (ABOVE.test(key)) return elementsIn(all.map(({ parent }) => (parent !== null && isTag(parent) ? parent : null)));
    if (BELOW.test(key)) return elementsIn(all.flatMap(({ children }) => children.filter(isTag).slice(0, 50)));
    if (SIBLINGS.test(key)) return elementsIn(all.map((one) => sibling(one, key.startsWith("n") ? "next" : "prev")));
    const [first] = all;
    if (key === "textContent" || key === "innerText" || key === "innerHTML")
      return { is: "text", text: first === undefined ? "" : textContent(first).slice(0, MAX_TEXT) };
    if (key === "content" && first?.name === "template") return { is: "made", made: madeOf(first) };
    if (key === "shadowRoot") return { is: "constant", value: null };
    return OTHER;
  }

  #created(node: ESTree.NewExpression, scope: Scope): Value {
    const callee = this.of(node.callee, scope);
    if (callee.is === "class") return { is: "instance", node: callee.node, elements: OTHER };
    if (callee.is === "global" && callee.name === "Text") return this.#keep(node, ["#text"], "");
    if (callee.is === "global" && callee.name === "URLSearchParams") return callee;
    return callee.is === "global" ? OTHER : UNKNOWN;
  }

  /** A created element: the same for each look at its creation. */
  #keep(node: Node, tags: readonly string[], names: string): Value {
    const known = this.#made.get(node);
    if (known !== undefined) return known;
    const made: Value = { is: "made", made: { tags: new Set(tags), names } };
    this.#made.set(node, made);
    return made;
  }

  #called(node: ESTree.CallExpression, scope: Scope): Value {
    const { callee, arguments: args } = node;
    if (callee.type === "Super") return NOTHING;
    const first = (): Value => this.of(args[0], scope);
    const text = (): string | undefined => textOf(first());
    if (callee.type === "MemberExpression") {
      const key = this.key(callee, scope) ?? "";
      const object = this.of(callee.object, scope);
      const found = this.#method(node, { key, object, first, text, scope });
      if (found !== undefined) return found;
    }
    const called = this.of(callee, scope);
    if (called.is === "function")
      return this.result(
        called.node,
        args.map((arg) => this.of(arg, scope)),
        called.self,
      );
    const selects = called.is === "unknown" && args.length === 1 && /^[#.][\w-]+$/.test(text() ?? "");
    if (selects || isJquery(called, callee)) return this.#jquery(node, first(), scope);
    return called.is === "global" &&
      /^[a-z]\w*(?:Int|Float|URI\w*)$|^(?:Number|String|Boolean|Date|setTimeout|setInterval|requestAnimationFrame|matchMedia|getComputedStyle)$/.test(
        called.name,
      )
      ? OTHER
      : UNKNOWN;
  }

  #jquery(node: ESTree.CallExpression, given: Value, scope: Scope): Value {
    const text = textOf(given);
    if (text === undefined) return given;
    if (/^\s*</.test(text)) return this.#keep(node, tagsIn(text), text);
    const within = node.arguments.length > 1 ? this.of(node.arguments[1], scope) : UNKNOWN;
    return { is: "elements", all: this.page.select(text, within.is === "elements" ? within.all : undefined) };
  }

  #method(
    node: ESTree.CallExpression,
    {
      key,
      object,
      first,
      text,
      scope,
    }: { key: string; object: Value; first: () => Value; text: () => string | undefined; scope: Scope },
  ): Value | undefined {
    if (object.is === "function" || object.is === "class" || object.is === "object") return undefined;
    const { callee } = node;
    const within =
      object.is === "elements"
        ? object.all
        : object.is === "instance" && object.elements.is === "elements"
          ? object.elements.all
          : undefined;
    const isDocument = object.is === "global" && object.name === "document";
    if (isDocument || within !== undefined || object.is === "unknown" || object.is === "shadow") {
      const found = this.#search(key, text, isDocument ? undefined : (within ?? "unknown"));
      if (found !== undefined) return found;
    }
    if (isDocument && /^create(?:ElementNS|Element|TextNode|DocumentFragment)$/.test(key)) {
      const name = key.endsWith("NS") ? textOf(this.of(node.arguments[1], scope)) : text();
      return this.#keep(
        node,
        key === "createTextNode" ? ["#text"] : key === "createDocumentFragment" ? [] : [(name ?? "?").toLowerCase()],
        "",
      );
    }
    if (key === "getFullYear" && object.is !== "constant") return { is: "constant", value: ANY_YEAR };
    if (key === "createContextualFragment" || key === "parseFromString")
      return this.#keep(node, tagsIn(text() ?? "<?>"), text() ?? "");
    if (key === "cloneNode" || key === "importNode") {
      const source = key === "cloneNode" ? object : first();
      return source.is === "elements" && source.all[0] !== undefined
        ? this.#keep(node, [...madeOf(source.all[0]).tags], "")
        : source;
    }
    if (object.is === "constant" && typeof object.value === "string") return ofText(object.value, key, first());
    if (
      key === "test" &&
      callee.type === "MemberExpression" &&
      callee.object.type === "Literal" &&
      "regex" in callee.object
    )
      return tested(callee.object.regex, first());
    if (object.is === "global" && object.name === "URLSearchParams" && (key === "get" || key === "has")) {
      const given = URL.parse(this.page.survey.source.finalUrl)?.searchParams.get(text() ?? "") ?? null;
      return { is: "constant", value: key === "has" ? given !== null : given };
    }
    if (object.is === "global") {
      if (/^(?:local|session)Storage$/.test(object.name) && key === "getItem") return { is: "constant", value: null };
      if (object.name === "Object" && (key === "assign" || key === "freeze"))
        return this.#assigned(node, first(), scope);
      if ((object.name === "Array" && key === "from") || (object.name === "Promise" && key === "resolve"))
        return first();
    }
    if (key === "attachShadow" && within !== undefined) return { is: "shadow", all: within };
    if (object.is === "elements" || object.is === "made") {
      if (key === "getAttribute") return UNKNOWN;
      if (SAME.test(key)) return object;
      if (ABOVE.test(key) || BELOW.test(key) || SIBLINGS.test(key)) return this.member(object, key);
      if (key === "appendChild" || key === "insertBefore") return first();
      if (key === "appendTo" || key === "wrap") return object;
      return object.is === "made" ? object : OTHER;
    }
    return undefined;
  }

  /** `Object.assign(element, { className: "banner" })` gives the element names. */
  #assigned(node: ESTree.CallExpression, target: Value, scope: Scope): Value {
    const given = this.of(node.arguments[1], scope);
    if (target.is === "made" && given.is === "object") {
      for (const name of ["className", "id"])
        target.made.names += ` ${textOf(this.property(given, name) ?? UNKNOWN) ?? ""}`;
    }
    return target;
  }

  #search(
    key: string,
    text: () => string | undefined,
    within: readonly Element[] | "unknown" | undefined,
  ): Value | undefined {
    if (key === "getElementById") {
      const id = text();
      return id === undefined ? UNKNOWN : { is: "elements", all: this.page.byId(id) };
    }
    const isSelector = key === "querySelector" || key === "querySelectorAll" || key === "find" || key === "closest";
    if (!isSelector && !key.startsWith("getElementsBy")) return undefined;
    const given = text();
    if (given === undefined || within === "unknown") return UNKNOWN;
    const selector = key === "getElementsByClassName" ? `.${given.trim().split(/\s+/).join(".")}` : given;
    if (key === "closest")
      return {
        is: "elements",
        all: this.page.select(selector).filter((one) => within?.some((inner) => isOrHas(one, inner)) === true),
      };
    const all = this.page.select(selector.replace(/^:scope\s*>?\s*/, ""), within);
    return { is: "elements", all: key === "querySelector" ? all.slice(0, within === undefined ? 1 : 20) : all };
  }

  /** The value that a function returns. */
  result(node: Fn, args: readonly Value[], self: Value): Value {
    if (this.#results.has(node)) return UNKNOWN;
    const scope = this.scopes.of(node);
    if (scope === undefined || isMissing(node.body)) return UNKNOWN;
    this.#results.add(node);
    const [frame, before] = [this.frames.get(node), this.selves.get(node)];
    this.frames.set(node, args);
    if (node.type !== "ArrowFunctionExpression") this.selves.set(node, self);
    try {
      if (node.body.type !== "BlockStatement") return this.of(node.body, scope);
      const body = this.scopes.of(node.body) ?? scope;
      const returned = returnsIn(node.body, body, this.scopes).map(([value, at]) => this.of(value, at));
      return returned.length === 0 ? NOTHING : this.#either(returned);
    } finally {
      this.#results.delete(node);
      if (frame !== undefined) this.frames.set(node, frame);
      if (before !== undefined) this.selves.set(node, before);
    }
  }
}

const MAX_RETURNS = 6;

function returnsIn(node: Node, scope: Scope, scopes: Scopes, found: [Node, Scope][] = []): [Node, Scope][] {
  forEachChild(node, (child) => {
    if (found.length >= MAX_RETURNS || isFunction(child) || isClass(child)) return;
    const inner = scopes.of(child) ?? scope;
    if (child.type === "ReturnStatement") {
      if (child.argument !== null) found.push([child.argument, inner]);
    } else if (/Statement$|^SwitchCase$|^CatchClause$/.test(child.type)) returnsIn(child, inner, scopes, found);
  });
  return found;
}

/** In place of the present year: a year that no page shows. */
const ANY_YEAR = 2099;

const USER_AGENT =
  "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36";

/** Whether the value of an expression is one element or null. */
function isSingle(node: Node): boolean {
  if (node.type === "Identifier" || node.type === "ChainExpression") return true;
  const callee = node.type === "CallExpression" ? node.callee : undefined;
  return (
    callee?.type === "MemberExpression" && /^(?:querySelector|getElementById|closest)$/.test(propertyName(callee) ?? "")
  );
}

function isJquery(called: Value, callee: Node): boolean {
  if (called.is === "global") return called.name === "$" || called.name === "jQuery";
  return called.is === "unknown" && callee.type === "Identifier" && /^(?:\$|jQuery|jq)$/.test(callee.name);
}

function elementsIn(elements: readonly (Element | null | undefined)[]): Value {
  return { is: "elements", all: elements.filter((one) => !isMissing(one)) };
}

function isOrHas(element: Element, inner: Element): boolean {
  for (let at: Element["parent"] | Element = inner; at !== null; at = at.parent) if (at === element) return true;
  return false;
}

function sibling(element: Element, side: "next" | "prev"): Element | null {
  let at = element[side];
  while (at !== null && !isTag(at)) at = at[side];
  return at;
}
