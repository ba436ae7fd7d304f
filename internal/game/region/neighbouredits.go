package region

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// An edit across the border is requested again when no answer arrives: request
// or answer are lost when the node that leads the neighbour fails. The
// neighbour stores the result together with the edit until the home confirms
// that it has it.
//
// Copies of a request may be anywhere: on a link, queued at a suspended node,
// at a previous leader of the home that does not know yet that it was replaced.
// A copy that arrives after the world has moved on must not be applied. Two
// orders tell which copies are stale:
//   - the questions of a region are numbered, over all machines that ever lead
//     it; all below the oldest that is open have ended, so the neighbour keeps
//     the highest Oldest that it was told and does nothing with a lower number;
//   - with every handover a player's epoch rises: the neighbour does nothing for
//     a player with an epoch below one with which it has seen that player act.

// maxNeighbourEdits bounds what is kept of one neighbour; it asks for fewer at a time.
const maxNeighbourEdits = 512

// neighbourEdits are the edits that a neighbour has asked for here and that it may ask for
// again.
type neighbourEdits struct {
	floor uint64 // all below have ended
	list  []neighbourEdit
}

type neighbourEdit struct {
	number uint64
	epoch  uint32
	state  editState
	code   world.Refusal
	left   world.Block // what is left of a block that was broken
	act    *signedAct  // until it has ended; nil: nobody need sign it
}

type editState uint8

const (
	editWaiting editState = iota // for its tick
	editEnded                    // and on its way to the disk
	editDurable                  // on the disk
)

func (o *neighbourEdits) find(number uint64) *neighbourEdit {
	for i := range o.list {
		if o.list[i].number == number {
			return &o.list[i]
		}
	}
	return nil
}

// complete notes how an edit ended; nil: nobody asks for it any more.
func (o *neighbourEdits) complete(m *world.Remote) *neighbourEdit {
	p := o.find(m.Op)
	if p != nil {
		p.state, p.code, p.left = editEnded, m.Code, m.Got
	}
	return p
}

func (o *neighbourEdits) markDurable(number uint64) {
	if p := o.find(number); p != nil {
		p.state = editDurable
	}
}

// discardBelow takes a neighbour's word that all below a number have ended.
func (o *neighbourEdits) discardBelow(oldest uint64) {
	if oldest > o.floor {
		o.floor = oldest
		o.list = slices.DeleteFunc(o.list, func(p neighbourEdit) bool { return p.number < oldest })
	}
}

// neighbourEditsKey is where what a neighbour has asked for is kept.
func neighbourEditsKey(from world.RegionPos) string {
	b := binary.BigEndian.AppendUint32([]byte(keyNeighbourEdits), uint32(from.X))
	return string(binary.BigEndian.AppendUint32(b, uint32(from.Z)))
}

// put writes how edits of a neighbour have ended, with the next batch.
func (e *requestedEdits) put(from world.RegionPos, o *neighbourEdits) {
	b := binary.AppendUvarint(nil, o.floor)
	for _, p := range o.list {
		if p.state != editWaiting {
			b = binary.AppendUvarint(binary.AppendUvarint(b, p.number), uint64(p.left))
			b = append(append(b, byte(len(p.code))), p.code...)
		}
	}
	e.store.put(neighbourEditsKey(from), b)
}

// unpack reads what put has written.
func (e *requestedEdits) unpack(key string, b []byte) error {
	if len(key) != 8 {
		return fmt.Errorf("edits of a neighbour: %w", ErrCorrupt)
	}
	from := world.RegionPos{X: int32(binary.BigEndian.Uint32([]byte(key))), Z: int32(binary.BigEndian.Uint32([]byte(key[4:])))}
	o := e.of(from)
	floor, n := binary.Uvarint(b)
	bad := n <= 0
	b = b[max(n, 0):]
	o.floor, o.list = floor, nil
	for len(b) > 0 && !bad {
		number, n := binary.Uvarint(b)
		got, m := binary.Uvarint(b[max(n, 0):])
		if bad = n <= 0 || m <= 0 || got >= uint64(world.BlockLimit) || !world.Block(got).Known() || len(b) == n+m || len(b) < n+m+1+int(b[n+m]); bad {
			break
		}
		b = b[n+m:]
		code := world.Refusal(b[1 : 1+b[0]])
		b = b[1+b[0]:]
		o.list = append(o.list, neighbourEdit{number: number, state: editDurable, code: code, left: world.Block(got)})
	}
	if bad {
		return fmt.Errorf("edits of a neighbour: %w", ErrCorrupt)
	}
	return nil
}
