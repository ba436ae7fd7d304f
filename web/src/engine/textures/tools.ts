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

const HOE = ['', '', '      qqqqq', '     qmmmmmmH', '     MMMMmmhH', '         HhmM', '        HhHMM', '       HhH', '      HhH', '     HhH', '    HhH', '   HhH', '  HhH', ' HhH', ' hH'];
const SWORD = ['             qq', '            qmm', '           qmmM', '          qmmM', '         qmmM', '        qmmM', '       qmmM', '  M   qmmM', '  MM qmmM', '   MMmmM', '    MMM', '   HhMM', '  HhH MM', ' HhH', ' hH'];
const DRUMSTICK = ['', '', '       qqqq', '     qqmmmmm', '    qmmmmmmmM', '   qmmmmmmmmM', '   qmmmmmmmmM', '   mmmmmmmmmM', '   mmmmmmmmMM', '    mmmmmmMM', '     MmmMMM', '      hhM', '     hH', '   hhH', '   hh'];
const CHOP = ['', '', '    qqqqqq', '  qqmmmmmmm', ' qmmmmmmmmmm', ' qmmmhhmmmmmm', ' mmmhhhhmmmmmM', ' mmmhhhhmmmmmM', ' mmmmhhmmmmmmM', ' Mmmmmmmmmmmm', '  MMmmmmmmmMM', '    MMMMMMM'];
const FISH = ['', '', '', '         MM', '     qqqqmM', '   qqmmmmmm   m', '  qmmmmmmmmm mm', ' qmhmmmmMmmmmmM', ' mmmmmmMmmmmmmM', ' Mmmmmmmmmm mmM', '  MMmmmmMM   mM', '    MMMM      M', '      MM'];
const FEATHER = ['', '            q', '          qqm', '         qmmM', '        qmhmM', '       qmhmM', '      qmhmmM', '     qmhmmM', '     mhmmM', '    mhmmM', '    hmMM', '   hM', '  h', ' h'];
const STRING = ['', '', '  qmm', '     mm    mm', '       m  m  m', '  mmmm m m   m', ' m    mmm   m', ' m     mm mm', '  mmmmm  m', '        m m', '       m   mm', '   mmmm      m', '  m          M', '   MMMMMMMMMM'];
const BALL = ['', '', '', '     qqqqq', '    qqmmmmm', '   qqmmmmmmm', '   qmmmmmmmm', '   mmmmmmmmmM', '   mmmmmmmmmM', '   mmmmmmmmMM', '    mmmmmmMM', '     MMMMMM'];
const BONE = ['', '            qq', '           qmm', '            mmqq', '           mmmmM', '          mmM MM', '         mmM', '        mmM', '       mmM', '      mmM', '  qq mmM', ' qmmmmM', '  MmmM', '   qmM', '   MM'];
const PILE = ['', '', '', '', '', '       q', '      qmm', '    m mmmM', '     qmmmM  m', '   qqmmMmmM', '  qmmmmmmmmM', ' qmmMmmmmMmmM', ' mmmmmmmmmmmMM', '  MMMMMMMMMM'];
const LEATHER = ['', '', '  qq     qq', '  qmmqqqqmmM', '   mmmmmmmmM', '   qmmmmmmM', '   mmmmmmmM', '   mmmMmmmM', '  qmmmmmmmmM', '  mmmmmmmmmM', ' qmmMmmmMmmmM', ' mmM MmmM MmM', ' MM   MM   M'];
const WHEAT = ['', '        q   q', '    q  qm  qm', '   qm  mm qmM', '   mm qmM mM', '   mM qm qmM', '    mMmM mM', '    qmmMqM', '     HhhH', '     hhhH', '    hhhH', '    hhHhH', '   hhH hh', '  hh   hH', '  h    h'];
const BREAD = ['', '', '', '        qqqqq', '      qqmmmmmm', '    qqmmhmmmmmM', '   qmmmmhmmhmmM', '  qmmhmmmmmhmM', '  mmmhmmmmmmMM', ' qmmmmmmmmMMM', ' mmmmmmmMMM', '  MMMMMMM'];
const BOW = ['', '      qmmmmm', '     qmM  mmh', '         h mm', '         h  mM', '        h   mM', '       h    mM', '      h     mM', '     h     qm', '    h     qmM', '   h    qqmM', ' mmhqqqqmmM', ' Mmmmmmmm', '  MMMM'];
const ARROW = ['', '           qqq', '           qmm', '          Hhmm', '         HhHM', '        HhH', '       HhH', '      HhH', '     HhH', ' qm HhH', ' mmMhH', '  MmM', '   mMm', '   MM'];
const HELMET = ['', '', '', '    qqqqqqqq', '   qmmmmmmmmM', '  qmmmmmmmmmmM', '  qmmmmmmmmmmM', '  qmmmmmmmmmmM', '  qmmM    qmmM', '  qmM      qmM', '  qmM      qmM', '  MMM      MMM'];
const CHESTPLATE = ['', '  qqq      qqq', ' qmmmM    qmmmM', ' qmmmmqqqqmmmmM', ' qmmmmmmmmmmmmM', ' qmmMmmmmmmMmmM', ' MMM qmmmmmM MM', '     qmmmmmM', '     qmmmmmM', '     qmmmmmM', '     qmmmmmM', '     qmmmmmM', '     MMMMMMM'];
const LEGGINGS = ['', '   qqqqqqqqqq', '   qmmmmmmmmM', '   qmmmmmmmmM', '   qmmmMmmmmM', '   qmmM qmmmM', '   qmmM qmmmM', '   qmmM  qmmM', '   qmmM  qmmM', '   qmmM  qmmM', '   qmmM  qmmM', '   MMMM  MMMM'];
const BOOTS = ['', '', '', '', '   qqqM  qqqM', '   qmmM  qmmM', '   qmmM  qmmM', '   qmmM  qmmM', '  qmmmM  qmmmM', ' qmmmmM  qmmmmM', ' qmmmmM  qmmmmM', ' MMMMMM  MMMMMM'];
const BUCKET = ['', '', '   qqqqqqqqq', '  qhhhhhhhhhM', '  qqhhhhhhhMM', '  mmqqqqqqMMM', '  qmmmmmmmmmM', '   qmmmmmmmM', '   qmmmmmmmM', '   qmmmmmmmM', '    qmmmmmM', '    qmmmmmM', '     MMMMM'];
const BED = ['', '', '', '', '', '', ' hhhh', ' hhhhqqqqqqqqqq', ' HHhhmmmmmmmmmm', ' MMMMmmmmmmmmmm', ' MMMMMMMMMMMMMM', ' bbbbbbbbbbbbbb', ' BB          BB', ' BB          BB'];

function thing(rows: string[], head: number, handle = 0x7d5c34): Painter {
  return (t) => {
    const [m, h] = [rgb(head), rgb(handle)];
    t.rect(0, 0, 16, 16, m, 0);
    t.art(rows, { m, M: shade(m, -0.32), q: shade(m, 0.35), h, H: shade(h, -0.3), b: rgb(0xa37c49), B: rgb(0x7d5c34) }, 0, 1);
    t.bleed();
  };
}

const heads = { wooden: 0xa98552, stone: 0x8a8c90, iron: 0xd3d6d9 };
const shapes = { pickaxe: PICKAXE, axe: AXE, shovel: SHOVEL, hoe: HOE, sword: SWORD };
const armour = { helmet: HELMET, chestplate: CHESTPLATE, leggings: LEGGINGS, boots: BOOTS };

export const tools: Record<string, Painter> = {
  stick: thing(STICK, 0x7d5c34),
  iron_ingot: thing(INGOT, heads.iron),
  raw_mutton: thing(MEAT, 0xc4525a, 0xe8dfd0),
  mutton: thing(MEAT, 0x96562f, 0xe8dfd0),
  raw_beef: thing(CHOP, 0xb93a3e, 0xe9c9b8),
  beef: thing(CHOP, 0x7c4528, 0xa9734a),
  raw_pork: thing(CHOP, 0xe89a96, 0xf6d9cf),
  pork: thing(CHOP, 0xc28a55, 0xe6c08c),
  raw_chicken: thing(DRUMSTICK, 0xeabfae, 0xe8dfd0),
  chicken_meat: thing(DRUMSTICK, 0xb9752f, 0xe8dfd0),
  raw_rabbit: thing(DRUMSTICK, 0xd18a80, 0xe8dfd0),
  rabbit_meat: thing(DRUMSTICK, 0x94603a, 0xe8dfd0),
  raw_fish: thing(FISH, 0x8fa3ad, 0x22282c),
  fish: thing(FISH, 0xc98f57, 0x3a2616),
  feather: thing(FEATHER, 0xe8e8ea, 0xb9bcc2),
  string: thing(STRING, 0xdadada),
  slime_ball: thing(BALL, 0x74c25c),
  bone: thing(BONE, 0xe4dfcd),
  gunpowder: thing(PILE, 0x6f7074),
  leather: thing(LEATHER, 0xa4623a),
  wheat: thing(WHEAT, 0xd9b64a, 0x9f8a3a),
  bread: thing(BREAD, 0xc08a3e, 0x8d5f26),
  bucket: thing(BUCKET, heads.iron, 0x5d6066),
  water_bucket: thing(BUCKET, heads.iron, 0x3f76d0),
  lava_bucket: thing(BUCKET, heads.iron, 0xf08a24),
  bow: thing(BOW, 0x8a6238, 0xe4e4e0),
  arrow: thing(ARROW, 0xb9bcc2),
  red_bed: thing(BED, 0xb4342f, 0xf0ece4),
};
for (const [of, head] of Object.entries(heads)) {
  for (const [kind, rows] of Object.entries(shapes)) tools[`${of}_${kind}`] = thing(rows, head);
}
for (const [of, colour] of [['leather', 0xa4623a], ['iron', heads.iron]] as const) {
  for (const [kind, rows] of Object.entries(armour)) tools[`${of}_${kind}`] = thing(rows, colour);
}
