import { blocks } from '../gen/blocks';
import type { Command } from '../net/types';

/** A whole line that may be meant, and how it is listed. */
export interface Choice {
  text: string;
  label: string;
  /** something may follow */
  more: boolean;
}

/** What a line is completed from, besides the commands that the node lists. */
export interface Known {
  players: readonly string[];
  /** the block that the own feet are in */
  at: readonly [number, number, number];
}

/** Values that are listed at most; more letters find the others. */
const MOST_VALUES = 40;
const quoted = (s: string): string => (/\s/.test(s) ? `"${s}"` : s);

/** What a line that begins with a slash may go on with. Commands come once for each of their forms. */
export function complete(line: string, commands: readonly Command[], known: Known): Choice[] {
  if (!line.startsWith('/')) return [];
  const words = split(line.slice(1));
  const typed = words.pop() ?? '';
  if (words.length === 0) return ofCommands(typed, commands);
  const [name = '', ...before] = words;
  const place = before.length;
  const forms = commands.filter((c) => c.name === name.toLowerCase() && place < c.args.length && before.every((w, i) => fits(w, c.args[i]!)));
  const head = line.slice(0, line.length - typed.length);
  const want = typed.replace(/^"/, '').toLowerCase();
  const found = new Map<string, boolean>();
  for (const f of forms) {
    for (const v of values(f.args[place]!, commands, known)) found.set(v, found.get(v) || place + 1 < f.args.length);
  }
  return ordered([...found.keys()], want)
    .slice(0, MOST_VALUES)
    .map((v) => ({ text: head + quoted(v), label: v, more: found.get(v)! }));
}

function ofCommands(typed: string, commands: readonly Command[]): Choice[] {
  const first = new Map<string, Command>();
  for (const c of commands) if (!first.has(c.name)) first.set(c.name, c);
  return ordered([...first.keys()], typed.toLowerCase()).map((name) => {
    const c = first.get(name)!;
    return { text: `/${name}`, label: `/${[name, ...c.args].join(' ')} – ${c.help}`, more: c.args.length > 0 };
  });
}

/** Those that begin with what was typed, then those with a part that does. */
function ordered(all: readonly string[], want: string): string[] {
  const begins = all.filter((v) => v.toLowerCase().startsWith(want));
  const inside = want === '' ? [] : all.filter((v) => !begins.includes(v) && v.toLowerCase().split(/[_\s]/).some((p) => p.startsWith(want)));
  return [...begins, ...inside];
}

/** Whether a word can stand in an argument. */
function fits(word: string, arg: string): boolean {
  return arg.split('|').some((alt) => {
    if (/^<(x|y|z|number)>$/.test(alt)) return /^~?-?[\d.]*$/.test(word);
    return alt.startsWith('<') || alt === word.toLowerCase();
  });
}

/** Words, and the one that is being typed last; quotes keep words together. */
function split(s: string): string[] {
  const words: string[] = [];
  const pattern = /\s*("[^"]*"?|[^\s"]+)/gy;
  let end = 0;
  for (let m = pattern.exec(s); m; m = pattern.exec(s)) {
    words.push(m[1]!);
    end = pattern.lastIndex;
  }
  if (end < s.length || s === '') words.push('');
  return words;
}

function values(arg: string, commands: readonly Command[], known: Known): string[] {
  return arg.split('|').flatMap((alt) => {
    switch (alt) {
      case '<player>':
      case '<known player>':
        return known.players;
      case '<block>':
        return blocks.filter((b) => b.item).map((b) => b.name);
      case '<command>':
        return [...new Set(commands.map((c) => c.name))];
      case '<x>':
        return ['~', String(known.at[0])];
      case '<y>':
        return ['~', String(known.at[1])];
      case '<z>':
        return ['~', String(known.at[2])];
      default:
        return alt.startsWith('<') ? [] : [alt];
    }
  });
}
