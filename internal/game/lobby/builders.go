package lobby

import (
	"encoding/json"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/clipboard"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// building is what the lobby knows of a builder's last commands. It is on the disk, so that
// whoever hosts the lobby next knows it too.
type building struct {
	corners [2]*world.Pos   // of /pos1 and /pos2
	built   []decision.Undo // what /undo takes back, the last one last
	redo    []decision.Undo // what /redo makes again
	copied  *copied         // by /copy or /cut; nil: nothing
	builtAt int64           // Unix seconds of the last of it, as it was read
}

// copied is what a builder has copied. Frozen once all of it has come.
type copied struct {
	box *clipboard.Box
	at  world.Pos // its lowest corner; beside the builder, if that stood somewhere
}

// maxBuilders is of how many builders that is kept, those who have built last; maxBuilt
// bounds what /undo and /redo remember, maxCopyKept the bytes of a copy on the disk: a
// greater one is forgotten when the lobby moves.
const (
	maxBuilders = 32
	maxBuilt    = 32
	maxCopyKept = 64 << 10
)

// buildingRecord and copyRecord are what is on the disk.
type buildingRecord struct {
	Time    int64           `json:"time"` // Unix seconds
	Corners [2]*world.Pos   `json:"corners"`
	Built   []decision.Undo `json:"built,omitempty"`
	Redo    []decision.Undo `json:"redo,omitempty"`
}

type copyRecord struct {
	At     world.Pos `json:"at"`
	Size   [3]int    `json:"size"`
	Blocks []byte    `json:"blocks"` // as package clipboard encodes them
}

func buildingKey(who id.ID) string { return "u/" + who.String() }
func copyKey(who id.ID) string     { return "v/" + who.String() }

// keepBuilding writes what a builder's command has changed.
func (h *Lobby) keepBuilding(p *player) {
	if p.console {
		return
	}
	gone := h.builds(p)
	h.write(map[string]any{buildingKey(p.id): buildingRecord{h.unix(), p.corners, p.built, p.redo}}, gone, nil)
}

// keepCopied writes what a builder has copied, or has turned.
func (h *Lobby) keepCopied(p *player) {
	if p.console {
		return
	}
	gone, put := h.builds(p), map[string]any{}
	put[buildingKey(p.id)] = buildingRecord{h.unix(), p.corners, p.built, p.redo}
	if b := clipboard.Encode(p.copied.box.Blocks); len(b) <= maxCopyKept {
		put[copyKey(p.id)] = copyRecord{p.copied.at, [3]int{p.copied.box.X, p.copied.box.Y, p.copied.box.Z}, b}
	} else {
		gone = append(gone, copyKey(p.id))
	}
	h.write(put, gone, nil)
}

// builds makes somebody the last who has built, and returns the records of whom is forgotten
// for that.
func (h *Lobby) builds(p *player) (gone []string) {
	h.builders = append(slices.DeleteFunc(h.builders, func(q *player) bool { return q == p }), p)
	if len(h.builders) > maxBuilders {
		old := h.builders[0]
		h.builders, old.building = h.builders[1:], building{}
		gone = []string{buildingKey(old.id), copyKey(old.id)}
	}
	return gone
}

// loadBuilding and loadCopy read the records; those of players come before.
func (h *Lobby) loadBuilding(key string, value []byte) error {
	who, err := id.Parse(key)
	var r buildingRecord
	if err == nil {
		err = json.Unmarshal(value, &r)
	}
	if p := h.players[who]; err == nil && p != nil {
		p.corners, p.built, p.redo, p.builtAt = r.Corners, r.Built, r.Redo, r.Time
		at, _ := slices.BinarySearchFunc(h.builders, r.Time, func(q *player, t int64) int { return int(q.builtAt - t) })
		h.builders = slices.Insert(h.builders, at, p)
	}
	return err
}

func (h *Lobby) loadCopy(key string, value []byte) error {
	who, err := id.Parse(key)
	var r copyRecord
	if err == nil {
		err = json.Unmarshal(value, &r)
	}
	p := h.players[who]
	if err != nil || p == nil {
		return err
	}
	if box, err := clipboard.DecodeBox(r.Size, r.Blocks); err == nil { // else with blocks that are no more
		p.copied = &copied{box, r.At}
	}
	return nil
}
