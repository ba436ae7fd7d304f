package region

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// New returns the region of cfg; nothing happens before Start.
func New(cfg Config, env machine.Env) *Region {
	r := &Region{
		cfg: cfg.withDefaults(), env: env,
		queue: new(commandQueue), activity: &activity{env: env},
	}
	r.area = regionlog.NewArea(r.cfg.Rules, cfg.Pos, r.cfg.Signed)
	c := component{&r.cfg, env, &r.stats}
	r.assembleWorld(c)
	r.assembleStorage(c)
	r.assemblePlayers(c)
	r.assembleSteps(c)
	r.connect()
	return r
}

// assembleWorld makes what shows the world to those who watch.
func (r *Region) assembleWorld(c component) {
	r.columns = &columns{component: c, area: r.area}
	r.entities = newEntities(c.cfg.Pos)
	r.interest = newInterest(c, r.columns, r.entities)
	r.border = &border{component: c, heard: map[world.RegionPos]uint32{}, area: r.area, columns: r.columns}
}

// assembleStorage makes what is between the world and the disk.
func (r *Region) assembleStorage(c component) {
	tags := new(jobTags)
	r.store = newStore(c, tags)
	r.pending = &pendingEdits{component: c, store: r.store, area: r.area}
	r.edits = &requestedEdits{component: c, store: r.store, area: r.area, neighbours: map[world.RegionPos]*neighbourEdits{}}
	r.items = &droppedItems{component: c, area: r.area, store: r.store, entities: r.entities, pending: r.pending}
	r.mobs = &crossings{component: c, area: r.area, store: r.store, entities: r.entities}
	r.history = &history{component: c, store: r.store, indices: map[id.ID]int{}}
	r.lands = &lands{component: c, area: r.area, store: r.store}
	r.loading = &loading{
		component: c, lands: r.lands, history: r.history, tags: tags, area: r.area, columns: r.columns, store: r.store, pending: r.pending, edits: r.edits,
	}
}

// assemblePlayers makes what concerns players.
func (r *Region) assemblePlayers(c component) {
	r.departed = &departed{component: c, store: r.store, list: map[id.ID]departedPlayer{}}
	r.dedup = &deduplication{component: c, area: r.area, store: r.store, edits: r.pending, records: map[id.ID]*actRecord{}}
	r.sessions = &playerSessions{
		component: c, area: r.area, store: r.store, entities: r.entities, interest: r.interest, dedup: r.dedup,
		departed: r.departed, activity: r.activity, players: map[id.ID]*playerSession{}, toldRestored: map[id.ID]bool{}, toldReplaced: map[id.ID]bool{},
	}
	r.stores = &containers{component: c, area: r.area, store: r.store, players: r.sessions, watched: r.interest}
	r.signed = &signatures{component: c, tags: r.store.tags, sessions: r.sessions, dedup: r.dedup, players: map[uint64]id.ID{}}
	r.outgoing = &outgoingHandovers{
		component: c, area: r.area, store: r.store, entities: r.entities, sessions: r.sessions, dedup: r.dedup,
		edits: r.pending, departed: r.departed, activity: r.activity, queue: r.queue, signed: r.signed, asked: r.edits,
		players: map[id.ID]*outgoingHandover{}, offers: map[uint64]*outgoingHandover{},
	}
	r.incoming = &incomingHandovers{
		component: c, store: r.store, sessions: r.sessions, dedup: r.dedup, departed: r.departed,
		arriving: map[id.ID]uint64{}, refusedUnwritten: map[id.ID]uint64{}, refusals: map[refusal]uint32{}, claims: map[id.ID]*handoverClaim{},
	}
	r.enter = &admission{
		component: c, area: r.area, store: r.store, dedup: r.dedup, loading: r.loading, sessions: r.sessions,
		outgoing: r.outgoing, incoming: r.incoming,
	}
}

// assembleSteps makes what runs the world.
func (r *Region) assembleSteps(c component) {
	r.effects = &effects{
		component: c, area: r.area, columns: r.columns, entities: r.entities, border: r.border, store: r.store, history: r.history,
		sessions: r.sessions, dedup: r.dedup, pending: r.pending, edits: r.edits, items: r.items, stores: r.stores, mobs: r.mobs, outgoing: r.outgoing,
	}
	r.loop = &tickLoop{
		component: c, area: r.area, columns: r.columns, entities: r.entities, store: r.store, sessions: r.sessions,
		queue: r.queue, pending: r.pending, edits: r.edits, outgoing: r.outgoing, effects: r.effects,
	}
}

// connect gives components the narrow interfaces of those that are made later,
// and of the region.
func (r *Region) connect() {
	r.store.addRecords = r.dedup.addRecords
	r.loading.events = r
	r.pending.acts = r.dedup
	r.edits.players, r.edits.arrivals = r.sessions, r.incoming
	r.dedup.players, r.dedup.runner = r.sessions, r.loop
	r.sessions.waker = r
	r.outgoing.events = r
}
