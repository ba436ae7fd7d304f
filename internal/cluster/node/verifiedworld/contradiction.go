package verifiedworld

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Contradiction proves that a node gave a false answer about a cell: nodes of more than
// half of the zones agree on the whole cell, and its answer contradicts them in the part
// that it covers. Whoever has the answers can check that (Check). For digest answers
// this includes the digests that they left out, of which they have a hash.
type Contradiction struct {
	Of      int64
	X, Y    int32 // the cell's column and row
	Accused *Answer
	Others  []*Answer // answers that agree, each of another zone
}

// Answer is a storage.Result or ActionsResult with its node's signature and certificate,
// which proves the node's id and place.
type Answer struct {
	Certificate *identity.Certificate
	Signature   [64]byte
	Result      machine.Message // *storage.Result or *storage.ActionsResult
}

// By returns the node that signed the answer.
func (a *Answer) By() id.ID { return a.Certificate.ID() }

// Check returns why a contradiction proves nothing; nil: it does. signed reports whether
// an answer has its node's signature, and the node a certificate of the authority.
func (c *Contradiction) Check(w state.World, space overlay.Space, signed func(*Answer) bool) error {
	for i, a := range append([]*Answer{c.Accused}, c.Others...) {
		if a == nil || a.Certificate == nil || !signed(a) {
			return fmt.Errorf("evidence: answer %d is not signed by a node of the world", i)
		}
	}
	if of, ok := c.Accused.of(); !ok || of != c.Of {
		return fmt.Errorf("evidence: the answer of the accused is not of that time")
	}
	if _, ok := c.Accused.tells(c.X, c.Y, w, c.Of); !ok && c.Accused.Result.(*messages.Result).Sent != nil {
		return fmt.Errorf("evidence: the answer of the accused does not tell of the cell")
	}
	zones := map[int]bool{}
	var right state.Digest
	for i, a := range c.Others {
		zone := space.Zone(a.Certificate.Pos)
		digest, ok := a.tells(c.X, c.Y, w, c.Of)
		switch {
		case !ok:
			return fmt.Errorf("evidence: the answer of %s does not tell of the cell at that time", a.By().Short())
		case !a.Result.(*messages.Result).Comparable(c.Accused.Result.(*messages.Result)):
			return fmt.Errorf("evidence: the answer of %s is to another question", a.By().Short())
		case zones[zone] || a.By() == c.Accused.By():
			return fmt.Errorf("evidence: the answer of %s does not count", a.By().Short())
		case c.Accused.agrees(a, c.X, c.Y, w) || i > 0 && digest != right:
			return fmt.Errorf("evidence: the answer of %s does not contradict the accused together with the others", a.By().Short())
		}
		zones[zone], right = true, digest
	}
	if 2*len(zones) <= space.Zones() {
		return fmt.Errorf("evidence: %d of %d zones agree, which are not more than half", len(zones), space.Zones())
	}
	return nil
}

// of returns the update that the answer is about.
func (a *Answer) of() (int64, bool) {
	r, ok := a.Result.(*messages.Result)
	if !ok {
		return 0, false
	}
	return r.UpdateNumber()
}

// asked returns the retrieval whose answers can be compared with this one; 0: an answer
// with objects can be compared with all.
func (a *Answer) asked() uint64 {
	if r := a.Result.(*messages.Result); r.Sent != nil {
		return r.Query
	}
	return 0
}

// tells returns the digest of a cell at a time; false: the answer does not cover all of it.
func (a *Answer) tells(x, y int32, w state.World, of int64) (d state.Digest, ok bool) {
	if at, ok := a.of(); !ok || at != of {
		return d, false
	}
	return a.Result.(*messages.Result).CellDigest(x, y, w)
}

// agrees reports whether the answer agrees with one that covers the whole cell, in the
// part that it covers itself.
func (a *Answer) agrees(whole *Answer, x, y int32, w state.World) bool {
	return a.Result.(*messages.Result).SameCellAs(whole.Result.(*messages.Result), x, y, w)
}
