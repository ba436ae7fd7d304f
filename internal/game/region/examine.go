package region

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Examiner decodes the records of a region's space as the region itself would,
// for tools that check a store without running the region.
type Examiner struct{ r *Region }

// Examine begins with a region.
func Examine(pos world.RegionPos) *Examiner { return &Examiner{New(Config{Pos: pos}, nil)} }

// Record decodes a record; both slices are the examiner's from now on. The first
// result is the player that the record is about, zero if it is about none.
func (e *Examiner) Record(key, value []byte) (player id.ID, err error) {
	if len(key) == 0 {
		return player, fmt.Errorf("a record without a key: %w", ErrCorrupt)
	}
	kind := string(key[:1])
	switch kind {
	case keyPlayer, keyPointer, keyWent, keyIntent, keyActor, keyActs, keyOrders, keySigned:
		if len(key) != 1+id.Size {
			return player, fmt.Errorf("a player's record: %w", ErrCorrupt)
		}
		player = id.ID(key[1:])
	}
	if err := e.r.loading.unpackOne(string(key), value); err != nil {
		return player, err
	}
	// What the region decodes only when it needs it.
	switch kind {
	case keyColumn:
		_, err = decodeColumn(e.r.cfg.Pos.Column(int(key[1])), value)
	case keyArea:
		err = e.r.area.LoadRest(value)
	case keyPlayer, keyWent:
		_, err = world.DecodePlayer(value)
	case keyPointer, keyIntent:
		_, err = decodePointer(value)
	}
	return player, err
}
