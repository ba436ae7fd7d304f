// The texts in use: those of the language that was chosen.
import { content } from '../content';
import { printedOn } from '../game/bindings';
import { info } from '../game/physics/blocks';
import { mobOf } from '../game/mobs';
import { en, type Strings } from '../lang/en';

export let t: Strings = en;

/** languages other than English are files of their own, loaded when they are chosen */
const FILES = ['de'];

/** The language for a choice: itself, or of `auto` the first of the browser's that is there. */
export function languageOf(choice: string, browser: readonly string[]): string {
  const there = ['en', ...FILES];
  const wanted = choice === 'auto' ? browser.map((l) => l.slice(0, 2).toLowerCase()) : [choice];
  return wanted.find((l) => there.includes(l)) ?? 'en';
}

/** Loads a language; English stays if it cannot be had. */
export async function useLanguage(choice: string): Promise<void> {
  const code = languageOf(choice, navigator.languages);
  document.documentElement.lang = code;
  if (code === 'en') return;
  try {
    t = ((await import(new URL(`${code}.js`, import.meta.url).href)) as { strings: Strings }).strings;
  } catch {
    document.documentElement.lang = 'en';
  }
}

/** A thing of a pack as it is called in the language. */
const named = (title: string): string => content?.texts[document.documentElement.lang]?.[title] ?? t.content[title] ?? title;

/** A block as an item is called. */
export const itemName = (block: number): string => named(info(block).title);

/** What a kind of mob is called. */
export function mobName(kind: number): string {
  const mob = mobOf(kind);
  return mob ? named(mob.title) : '';
}

/** A key's name for a person. */
export const keyName = (code: string): string =>
  printedOn(code) || (t.keys[code] ?? code.replace(/^Key|^Digit/, '').replace(/^Numpad/, `${t.keys.Num} `));

/** Refusals whose text on the node says more than ours can: a reason that an operator wrote, until when. */
const nodeKnowsMore = new Set(['banned', 'kicked']);

/** A sentence for a refusal of the connection: ours if we have one, unless the node's says more. */
export function refusalText(code: string, text: string): string {
  if (text && nodeKnowsMore.has(code)) return text;
  return t.refusals[code] ?? (text || t.refusals.network!);
}
