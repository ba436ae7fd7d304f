import { blocks } from '../gen/blocks';
import type { Command } from '../net/types';

/** A whole line that may be meant, and how it is listed. */
export interface Choice {
  text: string;
  label: string;
}

const MOST = 8;
const quoted = (s: string): string => (/\s/.test(s) ? `"${s}"` : s);

/** What a line that begins with a slash may go on with. */
export function complete(line: string, commands: readonly Command[], players: readonly string[]): Choice[] {
  if (!line.startsWith('/')) return [];
  const words = split(line.slice(1));
  const typed = words.pop() ?? '';
  if (words.length === 0) return ofCommands(typed, commands);
  const command = commands.find((c) => c.name === words[0]);
  const arg = command?.args[words.length - 1];
  if (!command || !arg) return [];
  const head = line.slice(0, line.length - typed.length);
  const want = typed.replace(/^"/, '').toLowerCase();
  return values(arg, players)
    .filter((v) => v.toLowerCase().startsWith(want) && v !== typed)
    .slice(0, MOST)
    .map((v) => ({ text: head + quoted(v), label: v }));
}

function ofCommands(typed: string, commands: readonly Command[]): Choice[] {
  return commands
    .filter((c) => c.name.startsWith(typed.toLowerCase()))
    .slice(0, MOST)
    .map((c) => ({ text: `/${c.name}${c.args.length ? ' ' : ''}`, label: `/${[c.name, ...c.args].join(' ')} – ${c.help}` }));
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

function values(arg: string, players: readonly string[]): string[] {
  return arg.split('|').flatMap((alt) => {
    switch (alt) {
      case '<player>':
      case '<known player>':
        return players;
      case '<block>':
        return blocks.filter((b) => b.item).map((b) => b.name);
      default:
        return alt.startsWith('<') ? [] : [alt];
    }
  });
}
