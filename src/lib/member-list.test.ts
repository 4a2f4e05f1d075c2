import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { MemberList, type Listed } from "./member-list.ts";

class Member implements Listed {
  listIndex = -1;
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  get name(): string {
    return this.#name;
  }
}

test("has the members that were added and not deleted, as a set has", () => {
  const steps = fc.array(fc.record({ adds: fc.boolean(), at: fc.nat(9) }), { maxLength: 100 });
  fc.assert(
    fc.property(steps, (all) => {
      const members = Array.from({ length: 10 }, (_, i) => new Member(String(i)));
      const list = new MemberList<Member>();
      const model = new Set<Member>();
      for (const { adds, at } of all) {
        const member = members[at] ?? new Member("none");
        if (!adds) expect(list.delete(member)).toBe(model.delete(member));
        else if (!model.has(member)) {
          list.add(member);
          model.add(member);
        }
        expect(list.size).toBe(model.size);
      }
      expect(list.all().toSorted((a, b) => a.name.localeCompare(b.name))).toEqual(
        [...model].toSorted((a, b) => a.name.localeCompare(b.name)),
      );
    }),
  );
});

test("does not delete a member of another list", () => {
  const [one, other] = [new MemberList<Member>(), new MemberList<Member>()];
  const [a, b] = [new Member("a"), new Member("b")];
  one.add(a);
  other.add(b);
  expect(other.delete(a)).toBe(false);
  expect([one.all(), other.all()]).toEqual([[a], [b]]);
});

test("members may leave while a loop goes through all of them", () => {
  const list = new MemberList<Member>();
  for (const name of ["a", "b", "c"]) list.add(new Member(name));
  for (const member of list.all()) list.delete(member);
  expect(list.size).toBe(0);
});
