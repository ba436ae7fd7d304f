// Tools and other things that are not blocks.

import type { Painter } from './ground';
import { rgb, shade } from './tile';

// m, M, q: the head, its dark and its light side; h, H: the handle.
const PICKAXE = ['', '', '     qqqqq', '    qmmmmmmHh', '     MMMmmmhH', '        HhmmmM', '       HhH mmM', '      HhH  mmM', '     HhH   mmM', '    HhH    mmM', '   HhH     qM', '  HhH', ' HhH', ' hH'];
const AXE = ['', '        qq', '       qmmmHh', '      qmmmmhH', '      qmmmHhM', '      qmmHhH', '       MHhH', '      HhH', '     HhH', '    HhH', '   HhH', '  HhH', ' HhH', ' hH'];
const SHOVEL = ['', '          qqq', '         qmmmm', '         mmmmM', '         mmmmM', '         HmmM', '        HhHM', '       HhH', '      HhH', '     HhH', '    HhH', '   HhH', '  HhH', '  hH'];
const STICK = ['', '', '            Hh', '           HhH', '          HhH', '         HhH', '        HhH', '       HhH', '      HhH', '     HhH', '    HhH', '   HhH', '  HhH', '  hH'];
const INGOT = ['', '', '', '', '', '     qqqqqqq', '    qmmmmmmmm', '   qmmmmmmmmM', '  qmmmmmmmmMM', ' qqqqqqqqqMMM', ' mmmmmmmmmMM', ' mmmmmmmmmM', ' MMMMMMMMM'];

const MEAT = ['', '', '      qqqq', '    qqmmmmmm', '   qmmmmmmmmm', '  qmmmmMmmmmm', '  mmmMMmmmmmmM', '  mmmmmmmmMmmM', '   mmmmmmMMmmM', '   MmmmmmmmmM', '    MMmmmmMMhh', '      MMMM hhHh', '            HHh', '            h'];

function thing(rows: string[], head: number, handle = 0x7d5c34): Painter {
  return (t) => {
    const [m, h] = [rgb(head), rgb(handle)];
    t.rect(0, 0, 16, 16, m, 0);
    t.art(rows, { m, M: shade(m, -0.32), q: shade(m, 0.35), h, H: shade(h, -0.3) }, 0, 1);
    t.bleed();
  };
}

const heads = { wooden: 0xa98552, stone: 0x8a8c90, iron: 0xd3d6d9 };
const shapes = { pickaxe: PICKAXE, axe: AXE, shovel: SHOVEL };

export const tools: Record<string, Painter> = {
  stick: thing(STICK, 0x7d5c34),
  iron_ingot: thing(INGOT, heads.iron),
  raw_mutton: thing(MEAT, 0xc4525a, 0xe8dfd0),
  mutton: thing(MEAT, 0x96562f, 0xe8dfd0),
};
for (const [of, head] of Object.entries(heads)) {
  for (const [kind, rows] of Object.entries(shapes)) tools[`${of}_${kind}`] = thing(rows, head);
}
