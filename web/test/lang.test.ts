/// <reference types="node" />
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { defaultBindings } from '../src/game/bindings';
import { blocks } from '../src/gen/blocks';
import { mobs } from '../src/gen/mobs';
import { strings as de } from '../src/lang/de';
import { en } from '../src/lang/en';
import { languageOf } from '../src/ui/strings';

/** The keys of all texts, with what kind of text each is and how many values it takes; `content` is checked on its own. */
function keys(of: object, path = ''): string[] {
  return Object.entries(of).flatMap(([key, text]: [string, unknown]) => {
    const at = `${path}.${key}`;
    if (at === '.content') return [];
    if (typeof text === 'function') return [`${at}(${text.length})`];
    return typeof text === 'object' && text !== null ? keys(text, at) : [at];
  });
}

test('every language has the same texts', () => {
  assert.deepEqual(keys(de).sort(), keys(en).sort());
});

test('a text that is empty in one language is so in all', () => {
  const empty = (of: object): string[] => Object.entries(of).flatMap(([k, v]: [string, unknown]) => (v === '' ? [k] : typeof v === 'object' && v ? empty(v) : []));
  assert.deepEqual(empty(de), empty(en));
});

test('German has a name for everything of the base pack', () => {
  const titles = new Set([...blocks, ...mobs].map((b) => b.title));
  assert.deepEqual([...titles].filter((title) => !de.content[title] && !/^Water \d$|^Lava \d$/.test(title)), []);
});

test('every action has a name', () => {
  assert.deepEqual(Object.keys(en.actions).sort(), Object.keys(defaultBindings).sort());
});

test('the language is the chosen one, or the first of the browser that is there', () => {
  assert.equal(languageOf('de', ['en']), 'de');
  assert.equal(languageOf('auto', ['fr-FR', 'de-AT', 'en']), 'de');
  assert.equal(languageOf('auto', ['en-GB', 'de']), 'en');
  assert.equal(languageOf('auto', ['fr']), 'en');
  assert.equal(languageOf('xx', ['de']), 'en');
});

/** String literals of a source that a person could read: they begin like a sentence or a label. */
function prose(source: string): string[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|(?<![:'"])\/\/.*$/gm, '').replace(/^import .*$/gm, '').replace(/new Error\([^\n]*/g, '');
  return [...code.matchAll(/'([^'\n]*)'|`([^`]*)`/g)]
    .map((m) => m[1] ?? m[2]!)
    .filter((text) => /^[A-Z][a-z]+([ .,:!?…]|$)/.test(text) && !KEYS.test(text));
}
/** keys of events, and the name of the game */
const KEYS = /^(Enter|Escape|Tab|Space|Delete|Backspace|Home|End|Page(Up|Down)|Arrow\w+|Key\w+|Voxel|Populi|Segoe UI.*)$/;

/** pages of their own, which load no table but have both languages in them */
const ALONE = ['worldmap.ts'];

test('no text of the interface bypasses the table', () => {
  assert.deepEqual(prose("h('p', {}, 'Some text.')"), ['Some text.']);
  const found: string[] = [];
  for (const dir of ['src/ui', 'src']) {
    for (const file of readdirSync(dir).filter((f) => f.endsWith('.ts') && !ALONE.includes(f))) {
      for (const text of prose(readFileSync(join(dir, file), 'utf8'))) found.push(`${file}: ${text}`);
    }
  }
  assert.deepEqual(found, []);
});
