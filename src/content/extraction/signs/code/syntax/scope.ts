import { type Fn, type Node } from "./syntax.ts";

/** The origin of a variable's value. */
export type Source =
  | { readonly is: "value"; readonly node: Node; readonly scope: Scope }
  /** One of the elements of a list. */
  | { readonly is: "each"; readonly node: Node; readonly scope: Scope }
  /** A property or an element of a value, by destructuring. */
  | { readonly is: "part"; readonly of: Source; readonly key: string }
  | { readonly is: "parameter"; readonly owner: Fn; readonly index: number }
  /** `*` is the name of the whole module. */
  | { readonly is: "import"; readonly name: string; readonly from: string };

export interface Code {
  readonly text: string;
  /** True: it contains libraries, whose code is long and changes elements that other code chooses. */
  readonly isLibrary: boolean;
  /** True: libraries, in it or in modules that it imports, may write its data into the page. */
  readonly hasParts: boolean;
}

/** The variables of a function, a block or a script. */
export class Scope {
  readonly code: Code;
  readonly parent: Scope | undefined;
  /** The function whose body this scope is. */
  readonly owner: Fn | undefined;
  readonly sources = new Map<string, Source[]>();
  readonly #isTop: boolean;

  constructor(code: Code, parent?: Scope, owner?: Fn, isTop = parent === undefined) {
    this.code = code;
    this.parent = parent;
    this.owner = owner;
    this.#isTop = isTop;
  }

  /** The sources of a variable. Undefined if no script declares it. */
  find(name: string): readonly Source[] | undefined {
    return this.#holder(name)?.sources.get(name);
  }

  declare(name: string, source?: Source): void {
    const known = this.sources.getOrInsert(name, []);
    if (source !== undefined) known.push(source);
  }

  assign(name: string, source: Source): void {
    (this.#holder(name) ?? this.top).declare(name, source);
  }

  get top(): Scope {
    return this.parent === undefined ? this : this.parent.top;
  }

  get function(): Scope {
    return this.owner !== undefined || this.#isTop || this.parent === undefined ? this : this.parent.function;
  }

  #holder(name: string): Scope | undefined {
    if (this.sources.has(name)) return this;
    return this.parent === undefined ? undefined : this.parent.#holder(name);
  }
}
