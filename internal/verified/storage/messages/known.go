package messages

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// What is left out because the other side has it. Nothing that
// is left out is taken on trust: the one who says that it has something says so
// by a digest, and the other one compares that with what it would have sent. An
// answer of which all is left out says as much as the whole one.

// Known is what who asks for an area knows of somebody who is asked: its
// neighbourhood and the part of the world that it answered for the last time, and
// what is likely in it now. On the wire it is a digest of the neighbourhood and,
// of each row of up to eight cells, four bytes of a digest that begins with the
// number of the retrieval. The answer says which of them are right, sends the
// cells' digests of all the other rows, and a digest of the rows that it has left
// out, by which who has asked sees that the four bytes were no accident.
type Known struct {
	Around   *Around
	Cover    overlay.Area
	Seen     *state.Snapshot // what is likely; nil: cannot be said
	RowCount int
	// Hash and Rows are what is said of it between real nodes.
	Hash state.SaltedDigest
	Rows []uint32
}

const sizeRow = 4

func (k *Known) Size() int {
	if k == nil {
		return 0
	}
	return state.SizeDigest + sizeRow*max(k.RowCount, len(k.Rows))
}

// has reports whether a neighbourhood is the known one.
func (k *Known) has(a *Around) bool {
	if k == nil || k.Around == nil {
		return false
	}
	same := func(x, y *overlay.Contact) bool { return x.ID == y.ID && x.Pos == y.Pos }
	return k.Around == a || same(k.Around.Self, a.Self) && slices.EqualFunc(k.Around.Neighbours, a.Neighbours, same)
}
