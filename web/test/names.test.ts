import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ProposedName } from '../src/game/names';
import { nameOk } from '../src/ui/start';

test('a proposed name that is taken is replaced by another, for some tries', () => {
  let calls = 0;
  const longest = (): number => [0.2, 0, 0.2, 0, 0.99][calls < 2 ? calls++ : 2 + (calls++ - 2) % 3]!; // Clever Badger 999…
  for (const random of [() => 0, () => 0.999_999, Math.random, longest]) {
    const p = new ProposedName(random);
    const seen = new Set<string>();
    for (let name: string | null = p.value; name; name = p.next(name)) {
      assert.ok(nameOk(name) && !seen.has(name), name);
      assert.equal(p.value, name);
      seen.add(name);
    }
    assert.equal(seen.size, 6);
  }
});

test('a name that the player has typed is not replaced', () => {
  const p = new ProposedName();
  assert.equal(p.next('Ann'), null);
  assert.ok(p.next(p.value));
});
