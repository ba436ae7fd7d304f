/** The messages of docs/protocols/client.md as the client sees them. */

export const PROTOCOL_VERSION = 2;

/** Message types, client to node. */
export const Up = {
  Hello: 0x01, Proof: 0x02, View: 0x03, Input: 0x04, Act: 0x05, Say: 0x06, Ping: 0x07, Far: 0x08, Leave: 0x09,
  AskHosts: 0x0a, AskEntrances: 0x0b, Signed: 0x0c, Missed: 0x0d, Segment: 0x0e, Skin: 0x0f, AskSkin: 0x10, PutSchematic: 0x11,
} as const;

/** Message types, node to client. */
export const Down = {
  Challenge: 0x81, Refused: 0x82, Welcome: 0x83, Column: 0x84, Unload: 0x85, Frame: 0x86, Pong: 0x87, ActResult: 0x88,
  Self: 0x89, Inventory: 0x8a, Chat: 0x8b, Players: 0x8c, FarTile: 0x8d, TimeOffset: 0x8e, Notice: 0x8f, Commands: 0x90,
  Hosts: 0x91, Entrances: 0x92, Sign: 0x93, Container: 0x94, Signs: 0x95, SkinOf: 0x96, Schematic: 0x97,
} as const;

/** Kinds of Act. */
export const ActKind = {
  Dig: 1, StopDig: 2, Place: 3, Use: 4, Hit: 5, Select: 6, MoveItem: 7, Drop: 8, Pick: 9, Craft: 10, Respawn: 11, Open: 12, Store: 13, Write: 14,
} as const;

/** Bits of an input's buttons. */
export const Button = {
  Forward: 1, Back: 2, Left: 4, Right: 8, Jump: 16, Sneak: 32, Sprint: 64, Fly: 128,
} as const;

export const Mode = { Survival: 0, Creative: 1, Spectator: 2 } as const;
export const ChatKind = { Near: 0, World: 1, System: 2, Whisper: 3, Error: 4 } as const;

/** What an entity is. */
export const EntityKind = { Player: 0, Sheep: 1, Stalker: 2, Item: 128 } as const;

/** Bits of an entity's pose. */
export const Pose = { Sneaking: 1, Sprinting: 2, Swimming: 4, Flying: 8, Dead: 16, Young: 32, Burning: 64, Asleep: 128 } as const;
export const EntityEvent = { Swing: 1, Hurt: 2, Eat: 3, Call: 4 } as const;
export const LeaveReason = { Elsewhere: 0, Left: 1, Died: 2, Vanished: 3, Taken: 4 } as const;

/** Bits of the body flags in a correction. */
export const BodyFlag = { OnGround: 1, Flying: 2, InWater: 4, Climbing: 8 } as const;

/** A point or a velocity in the unit that its owner names. */
export interface Vec3 {
  x: number;
  y: number;
  z: number;
}

export interface Act {
  seq: number;
  kind: number;
  x: number;
  y: number;
  z: number;
  face: number;
  a: number;
  b: number;
  /** of Write only */
  text?: string;
}

/** One body step that was asked for. */
export interface InputStep {
  seq: number;
  buttons: number;
  /** 65536 is a full turn; 0 looks to −z, grows clockwise */
  yaw: number;
  /** the same unit, up is positive */
  pitch: number;
}

export interface Challenge {
  version: number;
  nonce: Uint8Array;
  world: Uint8Array;
  name: string;
}

export interface Refused {
  code: string;
  text: string;
  /** seconds until a retry makes sense, 0 for never */
  retry: number;
}

export interface WorldInfo {
  name: string;
  seed: string;
  mode: number;
  /** in ticks */
  dayLength: number;
}

export interface Welcome {
  player: Uint8Array;
  name: string;
  entity: number;
  world: WorldInfo;
  spawn: Vec3;
  tick: number;
  timeOffset: number;
  operator: boolean;
  /** where we are and how we look */
  at: Vec3;
  yaw: number;
  pitch: number;
}

export interface ActResult {
  seq: number;
  ok: boolean;
  reason: string;
  text: string;
}

export interface Self {
  mode: number;
  health: number;
  air: number;
  /** 0 to 20; 255: nobody gets hungry here */
  food: number;
  mayFly: boolean;
  operator: boolean;
  dead: boolean;
  /** Changes nothing: was invited to look around. */
  visitor: boolean;
}

export interface SlotChange {
  slot: number;
  block: number;
  count: number;
}

export interface PlayerEntry {
  entity: number;
  name: string;
  present: boolean;
  regionX: number;
  regionZ: number;
  /** tells skins apart: 0 none, less than 256 a built-in look */
  skin: number;
}

/** Another node that lets players into the world. */
export interface Entrance {
  /** whose challenge is signed there, and no other */
  node: Uint8Array;
  /** of its gateway, ending in a slash */
  url: string;
}

/** A machine that hosts a part of the world. */
export interface HostNode {
  id: Uint8Array;
  /** round trip in microseconds, 0 if it is not known */
  trip: number;
  /** regions that it leads, as far as is known */
  leads: number;
  /** corners of its Voronoi cell in metres, in verified worlds */
  cell: { x: number; z: number }[];
  /** where it stands, if it has a cell */
  place: { x: number; z: number };
}

/** Two neighbours in the overlay of a verified world, as places in the list of nodes. */
export interface HostLink { a: number; b: number }

/** Land that a player has claimed, from corner to corner, both inside. */
export interface HostLand {
  name: string;
  owner: string;
  from: { x: number; z: number };
  to: { x: number; z: number };
}

/** Who hosts a region; members are places in the list of nodes, the leader first. */
export interface HostRegion {
  x: number;
  z: number;
  awake: boolean;
  players: number;
  members: number[];
}

/** What our node knows of the replicated storage of a verified world. */
export interface HostStorage {
  /** that our node's state is of, -1: it has none */
  update: number;
  /** when the storage began, Unix ms */
  begin: number;
  /** ms between two updates */
  every: number;
  zone: number;
  zones: number;
  /** zones that agreed when our node last asked */
  votes: number;
  /** updates that it could not make */
  failed: number;
  /** the update that `observed` are of, -1: of none */
  observedAt: number;
  /** the part of the stored world that a node keeps for its zone, as corners in metres; nodes are places in the list of nodes */
  cells: { node: number; zone: number; cell: { x: number; z: number }[] }[];
  /** how the zones agreed about a region, and who keep it and have answered */
  observed: { x: number; z: number; agreed: boolean; storers: { node: number; zone: number }[] }[];
  accused: HostAccused[];
}

/** A node that is proven to have said otherwise than more than half of the zones. */
export interface HostAccused {
  id: Uint8Array;
  /** Unix ms, the last time */
  at: number;
  update: number;
  x: number;
  z: number;
  /** that agreed against it */
  zones: number;
  proofs: number;
  /** the authority has revoked it */
  cut: boolean;
}

/** A slash command that we may use; arguments as in the page's "Chat". */
export interface Command {
  name: string;
  args: string[];
  help: string;
}

/** What comes from the node. Columns, tiles and frames keep their packed bytes. */
export type Message =
  | ({ type: 'challenge' } & Challenge)
  | ({ type: 'refused' } & Refused)
  | ({ type: 'welcome' } & Welcome)
  | { type: 'column'; x: number; z: number; mask: number; deflated: Uint8Array }
  | { type: 'unload'; x: number; z: number }
  | { type: 'frame'; body: Uint8Array }
  | { type: 'pong'; time: number; tick: number }
  | ({ type: 'actResult' } & ActResult)
  | ({ type: 'self' } & Self)
  | { type: 'inventory'; slots: SlotChange[]; selected: number }
  | { type: 'container'; x: number; y: number; z: number; size: number; slots: SlotChange[]; heat: number; work: number }
  | { type: 'skinOf'; entity: number; skin: Uint8Array }
  | { type: 'signs'; x: number; z: number; texts: { place: number; text: string }[] }
  | { type: 'chat'; kind: number; from: string; text: string }
  | { type: 'players'; full: boolean; players: PlayerEntry[] }
  | { type: 'farTile'; x: number; z: number; tile: Uint8Array }
  | { type: 'timeOffset'; ticks: number }
  | { type: 'notice'; code: string; text: string }
  | { type: 'commands'; list: Command[] }
  | { type: 'entrances'; list: Entrance[]; code: string }
  | { type: 'hosts'; nodes: HostNode[]; regions: HostRegion[]; links: HostLink[]; storage: HostStorage | undefined; convicted: Uint8Array[]; lands: HostLand[] }
  | { type: 'sign'; statement: Uint8Array }
  | { type: 'schematic'; data: Uint8Array; more: boolean }
  | { type: 'unknown'; code: number };
