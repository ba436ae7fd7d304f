import { encode } from '@msgpack/msgpack';
import { sha256 } from '@noble/hashes/sha2.js';
import { Fields } from './fields';
import { Reader, WireError } from './reader';
import { type Act, ActKind, Down, type HostAccused, type HostNode, type HostRegion, type HostStorage, type InputStep, type Message, PROTOCOL_VERSION, type SlotChange, Up, type Vec3 } from './types';
import { Writer } from './writer';

function message(type: number, fields: readonly unknown[]): Uint8Array<ArrayBuffer> {
  const body = encode(fields);
  const out = new Uint8Array(1 + body.length);
  out[0] = type;
  out.set(body, 1);
  return out;
}

/** Encoders of what the client says, by message. */
export const up = {
  hello: (name: string, key: Uint8Array, client: string) => message(Up.Hello, [PROTOCOL_VERSION, name, key, client]),
  proof: (signature: Uint8Array) => message(Up.Proof, [signature]),
  view: (distance: number, far: number) => message(Up.View, [distance, far]),
  act: (a: Act) => message(Up.Act, [a.seq, a.kind, a.x, a.y, a.z, a.face, a.a, a.b, ...(a.kind === ActKind.Write ? [a.text ?? ''] : [])]),
  say: (text: string) => message(Up.Say, [text]),
  said: (text: string, tick: number, signature: Uint8Array) => message(Up.Say, [text, tick, signature]),
  ping: (time: number) => message(Up.Ping, [time >>> 0]),
  far: (regions: readonly (readonly [number, number])[]) => message(Up.Far, [regions]),
  askHosts: () => message(Up.AskHosts, []),
  askEntrances: () => message(Up.AskEntrances, []),
  skin: (skin: Uint8Array) => message(Up.Skin, [skin]),
  askSkin: (entity: number) => message(Up.AskSkin, [entity]),
  signed: (statement: Uint8Array) => message(Up.Signed, [statement]),
  missed: (x: number, z: number) => message(Up.Missed, [[x, z]]),
  segment: (body: Uint8Array, signature: Uint8Array) => message(Up.Segment, [new Writer().bytes(body).bytes(signature).done()]),
  putSchematic: (data: Uint8Array, more: boolean) => message(Up.PutSchematic, [data, more]),
  leave: () => message(Up.Leave, []),
  input,
};

/**
 * Steps in the order of their sequence, without gaps, and the body's position
 * after the last of them in 1/4096 m.
 */
function input(steps: readonly InputStep[], pos: Vec3): Uint8Array<ArrayBuffer> {
  const w = new Writer().u8(Up.Input).u8(steps.length);
  steps.forEach((s, i) => {
    if (i === 0) w.uvarint(s.seq);
    w.u16(s.buttons).u16(s.yaw & 0xffff).u16(s.pitch & 0xffff);
  });
  return w.svarint(pos.x).svarint(pos.y).svarint(pos.z).done();
}

/** The steps of an Input. */
export function readInput(data: Uint8Array): InputStep[] {
  const r = new Reader(data.subarray(1));
  const n = r.u8();
  const first = r.uvarint();
  return Array.from({ length: n }, (_, i) => ({ seq: first + i, buttons: r.u16(), yaw: r.u16(), pitch: r.i16() }));
}

/** The act of an Act. */
export function readAct(data: Uint8Array): Act {
  const f = Fields.decode(data.subarray(1));
  const act: Act = { seq: f.int(), kind: f.int(), x: f.int(), y: f.int(), z: f.int(), face: f.int(), a: f.int(), b: f.int() };
  if (act.kind === ActKind.Write) act.text = f.str();
  return act;
}

/** What a signature of Proof covers; `host` is the address that was dialled, as in a URL, `name` that of Hello. */
export function proofText(nonce: Uint8Array, world: Uint8Array, host: string, name: string): Uint8Array {
  const text = new TextEncoder();
  const audience = sha256(text.encode(host.toLowerCase()));
  return new Writer().bytes(text.encode('voxelpopuli client 2\n')).bytes(nonce).bytes(world).bytes(audience).bytes(text.encode(name)).done();
}

/** What the signature of a line covers (docs/protocols/client.md, "Lines"); `name` is that of Hello. */
export function lineText(world: Uint8Array, tick: number, name: string, line: string): Uint8Array {
  const text = new TextEncoder();
  const by = text.encode(name);
  return new Writer().bytes(text.encode('voxelpopuli line 1\n')).bytes(world).uvarint(tick).uvarint(by.length).bytes(by).bytes(text.encode(line)).done();
}

/** What a Say says. */
export function saidText(data: Uint8Array): string | null {
  return data[0] === Up.Say ? Fields.decode(data.subarray(1)).str() : null;
}

/** Decodes one message of the node. Throws WireError. */
export function decodeMessage(data: Uint8Array): Message {
  if (data.length === 0) throw new WireError('empty message');
  const body = data.subarray(1);
  switch (data[0]) {
    case Down.Column:
      return column(body);
    case Down.Frame:
      return { type: 'frame', body };
    default:
      return decodeFields(data[0]!, body);
  }
}

function column(body: Uint8Array): Message {
  const r = new Reader(body);
  return { type: 'column', x: r.svarint(), z: r.svarint(), mask: r.u8(), deflated: r.bytes(r.left) };
}

function decodeFields(type: number, body: Uint8Array): Message {
  const make = decoders[type];
  return make ? make(Fields.decode(body)) : { type: 'unknown', code: type };
}

const decoders: Record<number, (f: Fields) => Message> = {
  [Down.Challenge]: (f) => ({ type: 'challenge', version: f.int(), nonce: f.bin(32), world: f.bin(20), name: f.str() }),
  [Down.Refused]: (f) => ({ type: 'refused', code: f.str(), text: f.str(), retry: f.int() }),
  [Down.Welcome]: welcome,
  [Down.Unload]: (f) => ({ type: 'unload', x: f.int(), z: f.int() }),
  [Down.Pong]: (f) => ({ type: 'pong', time: f.int(), tick: f.int() }),
  [Down.ActResult]: (f) => ({ type: 'actResult', seq: f.int(), ok: f.bool(), reason: f.str(), text: f.str() }),
  [Down.Self]: (f) => ({
    type: 'self', mode: f.int(), health: f.int(), air: f.int(), food: f.int(), mayFly: f.bool(), operator: f.bool(), dead: f.bool(), visitor: f.bool(),
  }),
  [Down.Inventory]: (f) => ({ type: 'inventory', slots: f.each(slotChange), selected: f.int() }),
  [Down.Container]: (f) => ({ type: 'container', x: f.int(), y: f.int(), z: f.int(), size: f.int(), slots: f.each(slotChange), heat: f.int(), work: f.int() }),
  [Down.Signs]: (f) => ({ type: 'signs', x: f.int(), z: f.int(), texts: f.each((s) => ({ place: s.int(), text: s.str() })) }),
  [Down.SkinOf]: (f) => ({ type: 'skinOf', entity: f.int(), skin: f.bin() }),
  [Down.Chat]: (f) => ({ type: 'chat', kind: f.int(), from: f.str(), text: f.str() }),
  [Down.Players]: (f) => ({
    type: 'players',
    full: f.bool(),
    players: f.each((p) => ({ entity: p.int(), name: p.str(), present: p.bool(), regionX: p.int(), regionZ: p.int(), skin: p.more() ? p.int() : 0 })),
  }),
  [Down.FarTile]: (f) => ({ type: 'farTile', x: f.int(), z: f.int(), tile: f.bin() }),
  [Down.TimeOffset]: (f) => ({ type: 'timeOffset', ticks: f.int() }),
  [Down.Notice]: (f) => ({ type: 'notice', code: f.str(), text: f.str() }),
  [Down.Sign]: (f) => ({ type: 'sign', statement: f.bin() }),
  [Down.Schematic]: (f) => ({ type: 'schematic', data: f.bin(), more: f.bool() }),
  [Down.Commands]: (f) => ({
    type: 'commands', list: f.each((c) => ({ name: c.str(), args: c.strings(), help: c.str() })),
  }),
  [Down.Entrances]: (f) => ({ type: 'entrances', list: f.each((e) => ({ node: e.bin(20), url: e.str() })), code: f.str() }),
  [Down.Hosts]: (f) => ({
    type: 'hosts', nodes: f.each(hostNode), regions: f.each(hostRegion), links: f.each((l) => ({ a: l.int(), b: l.int() })), storage: f.each(hostStorage)[0],
    convicted: f.more() ? f.each((n) => n.bin(20)) : [], // nodes of before do not say
    lands: f.more() ? f.each((l) => ({ name: l.str(), owner: l.str(), from: place(l.inner()), to: place(l.inner()) })) : [],
  }),
};

const slotChange = (s: Fields): SlotChange => ({ slot: s.int(), block: s.int(), count: s.int() });

const hostNode = (f: Fields): HostNode => ({
  id: f.bin(20), trip: f.int(), leads: f.int(), cell: f.each(place), place: place(f.inner()),
});

const place = (f: Fields): { x: number; z: number } => ({ x: f.int(), z: f.int() });

const hostStorage = (f: Fields): HostStorage => ({
  update: f.int(), begin: f.int(), every: f.int(), zone: f.int(), zones: f.int(), votes: f.int(), failed: f.int(), observedAt: f.int(),
  cells: f.each((p) => ({ node: p.int(), zone: p.int(), cell: p.each(place) })),
  observed: f.each((l) => ({ ...place(l.inner()), agreed: l.bool(), storers: l.each((s) => ({ node: s.int(), zone: s.int() })) })),
  accused: f.each(hostAccused),
});

const hostAccused = (f: Fields): HostAccused => ({
  id: f.bin(20), at: f.int(), update: f.int(), ...place(f.inner()), zones: f.int(), proofs: f.int(), cut: f.bool(),
});

function hostRegion(f: Fields): HostRegion {
  const at = f.inner();
  return { x: at.int(), z: at.int(), awake: f.bool(), players: f.int(), members: f.ints() };
}

function welcome(f: Fields): Message {
  const player = f.bin(20);
  const name = f.str();
  const entity = f.int();
  const w = f.inner();
  const world = { name: w.str(), seed: w.str(), mode: w.int(), dayLength: w.int() };
  const spawn = vec(f.inner());
  return {
    type: 'welcome', player, name, entity, world, spawn,
    tick: f.int(), timeOffset: f.int(), operator: f.bool(), at: vec(f.inner()), yaw: f.int(), pitch: f.int(),
  };
}

const vec = (f: Fields): Vec3 => ({ x: f.int(), y: f.int(), z: f.int() });
