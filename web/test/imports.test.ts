import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

/** The files of `dir`, by what they import from each other; types too. */
function imports(dir: string): Map<string, string[]> {
  const all = new Map<string, string[]>();
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith('.ts')) continue;
    const file = join(entry.parentPath, entry.name);
    const found = readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g);
    all.set(file, [...found].map((m) => resolved(join(dirname(file), m[1]!))).filter((f) => f !== null));
  }
  return all;
}

function resolved(path: string): string | null {
  return [`${path}.ts`, join(path, 'index.ts')].find((f) => existsSync(f)) ?? null;
}

/** A way from a file back to itself. */
function cycle(all: Map<string, string[]>): string[] | null {
  const done = new Set<string>();
  const visit = (file: string, way: string[]): string[] | null => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const next of all.get(file) ?? []) {
      const found = visit(next, [...way, file]);
      if (found) return found;
    }
    done.add(file);
    return null;
  };
  for (const file of all.keys()) {
    const found = visit(file, []);
    if (found) return found;
  }
  return null;
}

test('no file of the client imports itself by others', () => {
  const all = imports('src');
  assert.ok(all.get(join('src', 'app.ts'))?.includes(join('src', 'game', 'game.ts')), 'imports are found');
  assert.equal(cycle(all)?.join(' → ') ?? 'none', 'none');
});

test('a cycle is found', () => {
  assert.deepEqual(cycle(new Map([['a', ['b']], ['b', ['c']], ['c', ['b']]])), ['b', 'c', 'b']);
});
