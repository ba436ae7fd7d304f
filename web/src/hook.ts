import type { App } from './app';

/** What `vp.state()` tells; metres and radians. See docs/browser.md. */
export function describe(app: App): object {
  const { game, engine, ui } = app;
  const { body } = game.predictor;
  const stats = engine.stats();
  game.viewer.takeAim();
  const { hit, entity } = game.viewer.target;
  return {
    stage: app.stage,
    ready: app.stage === 'playing' && game.ready,
    connected: app.link.state === 'live',
    link: app.link.state,
    gateway: app.connection.at.base,
    entrances: app.connection.at.others,
    stalled: game.stalled,
    locked: app.pointer.locked,
    active: game.controls.active,
    error: app.lastError,
    name: game.welcome?.name ?? '',
    entity: game.welcome?.entity ?? 0,
    world: game.welcome?.world.name ?? '',
    pos: [body.x / 4096, body.y / 4096, body.z / 4096],
    yaw: game.look.yaw,
    pitch: game.look.pitch,
    onGround: body.onGround,
    flying: body.flying,
    inWater: body.inWater,
    mode: game.self.mode,
    health: game.self.health,
    air: game.self.air,
    food: game.self.food,
    dead: game.self.dead,
    fps: stats.fps,
    columns: game.frames.loaded.size,
    meshed: stats.meshedColumns,
    entities: [...game.entities.all.values()].map((s) => {
      const p = game.viewer.place(s.entity) ?? s.track.last;
      return { id: s.entity, name: s.name, kind: s.kind, pos: [p.x, p.y, p.z] };
    }),
    target: hit ? { x: hit.x, y: hit.y, z: hit.z, face: hit.face, block: hit.block } : null,
    targetEntity: entity,
    digging: game.hands.progress,
    chat: ui.chat.lines.slice(-30).map((l) => ({ kind: l.kind, from: l.from, text: l.text })),
    players: game.roster.list.map((p) => p.name),
    hotbar: game.inventory.slots.slice(0, 9).map((s) => ({ ...s })),
    container: game.container.at && game.container.slots.map((s) => ({ ...s })),
    selected: game.inventory.selected,
    tick: Math.floor(game.clock.tick(performance.now())),
    time: game.timeOfDay.tick / game.timeOfDay.length,
    rtt: game.rtt,
    corrections: game.predictor.corrections,
    garbage: game.frames.garbage,
  };
}

/** Puts `window.vp` there: for tests and the curious. It can do nothing that a person at the page cannot. */
export function installHook(app: App): void {
  const vp = {
    state: () => describe(app),
    /** the block at a place, −1 where nothing is loaded */
    block: (x: number, y: number, z: number) => app.engine.block(x, y, z),
    /** what is written on the sign at a place */
    sign: (x: number, y: number, z: number) => app.game.signs.at(x, y, z),
    /** looks somewhere: radians, yaw 0 is north, pitch up */
    look: (yaw: number, pitch: number) => app.game.look.set(yaw, pitch),
    /** looks at a point, in metres */
    lookAt: (x: number, y: number, z: number) => {
      const { eye } = app.game.viewer;
      const [dx, dy, dz] = [x - eye.x, y - eye.y, z - eye.z];
      app.game.look.set(Math.atan2(dx, -dz), Math.atan2(dy, Math.hypot(dx, dz)));
    },
    stats: () => app.engine.stats(),
  };
  // for the lab: meshes all that is loaded again and tells how long it took
  Object.assign(window, { vp, vpBench: { mesh: () => app.engine.measure() } });
}
