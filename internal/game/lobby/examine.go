package lobby

import (
	"encoding/json"
	"maps"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Space is the name of the lobby's space on the disk port.
const Space = space

// Examiner decodes the records of the lobby's space as the lobby itself would, for
// tools that check a store without running the lobby.
type Examiner struct{ h *Lobby }

// Examine begins with an empty lobby.
func Examine() *Examiner {
	return &Examiner{&Lobby{store: newStore(nil, regionlog.NewRegister(id.ID{}, false))}}
}

// Record decodes a record.
func (e *Examiner) Record(key, value []byte) error { return e.h.loadKV(string(key), value) }

// Known is what the records say of a player.
type Known struct {
	Name    string
	Home    world.RegionPos
	Entered bool // was ever in the world; else Home says nothing
}

// Players are those whose records were decoded.
func (e *Examiner) Players() map[id.ID]Known {
	out := map[id.ID]Known{}
	for who, p := range e.h.players {
		out[who] = Known{p.rec.Name, p.rec.Home, p.rec.Epoch > 0}
	}
	return out
}

// WithoutRole is a record of the lobby's space as it is for a player who is no
// operator, with the player's name; was: it was an operator's. For tools that make
// a new world of another one's records.
func WithoutRole(key, value []byte) (rest []byte, name string, was bool) {
	var r struct {
		Name     string
		Operator bool // of before decisions were signed
	}
	var all map[string]json.RawMessage
	if !strings.HasPrefix(string(key), "p/") || json.Unmarshal(value, &r) != nil || !r.Operator || json.Unmarshal(value, &all) != nil {
		return value, "", false
	}
	// Whoever reads it takes the name in any case, as encoding/json does.
	maps.DeleteFunc(all, func(key string, _ json.RawMessage) bool { return strings.EqualFold(key, "operator") })
	rest, err := json.Marshal(all)
	return rest, r.Name, err == nil
}
