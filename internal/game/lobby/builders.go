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

// builders are those whose last commands the lobby remembers.
type builders struct {
	list  []*player // the latest last
	unix  func() int64
	write func(put map[string]any, gone []string) // to the disk
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

// keep writes what a builder's command has changed.
func (b *builders) keep(p *player) {
	if p.console {
		return
	}
	gone := b.builds(p)
	b.write(map[string]any{buildingKey(p.id): b.record(p)}, gone)
}

func (b *builders) record(p *player) buildingRecord {
	return buildingRecord{b.unix(), p.corners, p.built, p.redo}
}

// copies writes what a builder has copied now, or has turned.
func (b *builders) copies(p *player, c *copied) {
	p.copied = c
	if p.console {
		return
	}
	gone, put := b.builds(p), map[string]any{}
	put[buildingKey(p.id)] = b.record(p)
	if blocks := clipboard.Encode(c.box.Blocks); len(blocks) <= maxCopyKept {
		put[copyKey(p.id)] = copyRecord{c.at, [3]int{c.box.X, c.box.Y, c.box.Z}, blocks}
	} else {
		gone = append(gone, copyKey(p.id))
	}
	b.write(put, gone)
}

// builds makes somebody the last who has built, and returns the records of whom is forgotten
// for that.
func (b *builders) builds(p *player) (gone []string) {
	b.list = append(slices.DeleteFunc(b.list, func(q *player) bool { return q == p }), p)
	if len(b.list) > maxBuilders {
		old := b.list[0]
		b.list, old.building = b.list[1:], building{}
		gone = []string{buildingKey(old.id), copyKey(old.id)}
	}
	return gone
}

// load reads a builder's record, loadCopy that of its copy; those of players come before.
func (b *builders) load(players map[id.ID]*player, key string, value []byte) error {
	var r buildingRecord
	p, err := readOf(players, key, value, &r)
	if p != nil {
		p.corners, p.built, p.redo, p.builtAt = r.Corners, r.Built, r.Redo, r.Time
		at, _ := slices.BinarySearchFunc(b.list, r.Time, func(q *player, t int64) int { return int(q.builtAt - t) })
		b.list = slices.Insert(b.list, at, p)
	}
	return err
}

func (b *builders) loadCopy(players map[id.ID]*player, key string, value []byte) error {
	var r copyRecord
	p, err := readOf(players, key, value, &r)
	if p == nil {
		return err
	}
	if box, err := clipboard.DecodeBox(r.Size, r.Blocks); err == nil { // else with blocks that are no more
		p.copied = &copied{box, r.At}
	}
	return nil
}

// readOf reads the record of a player; nil: nobody is known by that id, or it is damaged.
func readOf(players map[id.ID]*player, key string, value []byte, record any) (*player, error) {
	who, err := id.Parse(key)
	if err == nil {
		err = json.Unmarshal(value, record)
	}
	if err != nil {
		return nil, err
	}
	return players[who], nil
}
