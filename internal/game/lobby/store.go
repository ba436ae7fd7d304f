package lobby

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// space is the lobby's space and queue on the disk port. Its keys, each with a
// JSON value, so that a person can read and mend it in an export:
//
//	p/<player id>    record
//	d/<register>     a decision.Statement, as text in base64
//	a/<number>       entry: what somebody did by a role
//	r/<number>       entry: what a player has reported
//	u/<player id>    buildingRecord: what a builder can undo
//	v/<player id>    copyRecord: what a builder has copied
//
// Worlds from before decisions were signed have b/<folded name> and
// l/<folded name> (bans and whitelist), w (the time of day) and operator flags in
// their records besides; they count for nothing (host/roles.go signs them once).
const space = "hall"

// tickLength is the time of one tick: 20 a second.
const tickLength = 50 * time.Millisecond

// record is what lasts of a player.
type record struct {
	Name   string          `json:"name"`
	Entity uint32          `json:"entity"`
	Home   world.RegionPos `json:"home"`
	Epoch  uint32          `json:"epoch"`            // of Home; 0: was never in the world
	Since  int64           `json:"since"`            // Unix seconds of the first visit
	Seen   int64           `json:"seen,omitempty"`   // of the last; 0: before this was noted
	Played int64           `json:"played,omitempty"` // seconds
	// Invitation is the one that the player first came by, or the last since then that
	// is for a limited number of players: it counts for this one.
	Invitation id.ID `json:"invitation,omitzero"`
}

// store is what the lobby has on disk, and all of it in memory.
type store struct {
	env               machine.Env
	players           map[id.ID]*player
	register          *regionlog.Register // who has which name
	signed            map[string]string   // decisions on disk, by register
	deeds, complaints journal             // what those with a role did, what players reported
	entity            uint32              // the highest number given to a player

	loaded  bool
	failed  error // why the store could not be read: nobody can enter
	pending map[uint64]func(result any, err error)
	jobs    uint64
}

func newStore(env machine.Env, register *regionlog.Register) store {
	return store{
		env:      env,
		players:  map[id.ID]*player{},
		register: register,
		signed:   map[string]string{},
		pending:  map[uint64]func(any, error){},
		deeds:    journal{prefix: "a/", most: maxAudit}, complaints: journal{prefix: "r/", most: maxReports},
	}
}

func (s *store) do(job machine.Job, then func(result any, err error)) {
	s.jobs++
	s.pending[s.jobs] = then
	s.env.Do(space, s.jobs, job)
}

func (s *store) done(tag uint64, result any, err error) {
	if then := s.pending[tag]; then != nil {
		delete(s.pending, tag)
		then(result, err)
	}
}

func (h *Lobby) load() {
	h.do(machine.DiskRead{Space: space}, func(result any, err error) {
		kvs, ok := result.([]machine.KV)
		if err == nil && !ok {
			err = fmt.Errorf("the disk answered with %T", result)
		}
		for i := 0; err == nil && i < len(kvs); i++ {
			err = h.loadKV(string(kvs[i].Key), kvs[i].Value)
		}
		h.loaded, h.failed = true, err
		h.recallDecisions()
		for _, e := range h.entering {
			h.onEnter(e)
		}
		h.entering = nil
	})
}

// errStore is wrapped when the lobby's space holds what it should not.
var errStore = errors.New("the lobby's data is damaged")

func (h *Lobby) loadKV(key string, value []byte) (err error) {
	switch {
	case len(key) > 2 && key[:2] == "p/":
		err = h.loadPlayer(key[2:], value)
	case len(key) > 2 && key[:2] == "d/":
		var text string
		err = json.Unmarshal(value, &text)
		h.signed[key[2:]] = text
	case len(key) > 2 && (key[:2] == "a/" || key[:2] == "r/"): // in the order of their numbers
		j := &h.deeds
		if key[0] == 'r' {
			j = &h.complaints
		}
		var e entry
		err = json.Unmarshal(value, &e)
		j.list = append(j.list, e)
	case len(key) > 2 && key[:2] == "u/":
		err = h.builders.load(h.players, key[2:], value)
	case len(key) > 2 && key[:2] == "v/":
		err = h.builders.loadCopy(h.players, key[2:], value)
	}
	if err != nil {
		return fmt.Errorf("%w: key %q: %v", errStore, key, err)
	}
	return nil
}

func (s *store) loadPlayer(key string, value []byte) error {
	who, err := id.Parse(key)
	if err != nil {
		return err
	}
	p := &player{id: who}
	if err := json.Unmarshal(value, &p.rec); err != nil {
		return err
	}
	s.players[who] = p
	s.register.Put(p.id, p.rec.Name, p.rec.Seen, p.rec.Played)
	s.entity = max(s.entity, p.rec.Entity)
	return nil
}

// write changes the lobby's space; then hears once it is synced. Values are
// marshalled here, so later changes do not reach into it.
func (s *store) write(put map[string]any, del []string, then func(error)) {
	w := machine.DiskWrite{Space: space}
	for _, k := range sortedKeys(put) {
		v, err := json.Marshal(put[k])
		if err != nil {
			panic(fmt.Sprintf("lobby: %s cannot be written: %v", k, err))
		}
		w.Put = append(w.Put, machine.KV{Key: []byte(k), Value: v})
	}
	for _, k := range del {
		w.Delete = append(w.Delete, []byte(k))
	}
	s.do(w, func(_ any, err error) {
		if then != nil {
			then(err)
		}
	})
}

// unix is the time in seconds.
func (s *store) unix() int64 { return int64(s.env.Now()) / int64(time.Second) }

func playerKey(who id.ID) string { return "p/" + who.String() }

func (s *store) writePlayer(p *player, then func(error)) {
	s.write(map[string]any{playerKey(p.id): p.rec}, nil, then)
}
