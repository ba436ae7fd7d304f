package messages

import "github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"

// Fetch asks one node for cells that it has sent digests of.
type Fetch struct {
	Retrieve
	Cells      []CellAt
	Characters []state.ObjectID // that were named
	// Have are versions that the sender has, of objects in these cells; on the
	// wire their digests.
	Have []*state.Object
	// Base are the same cells an update before, as the sender knows them, nil where
	// it does not; on the wire their digests.
	Base []*state.Cell

	// Between real nodes: the beginnings of the digests of Have, in their order,
	// and the tags of Base, zero for those that are nil.
	HaveTags []uint64
	BaseTags []state.SaltedDigest
}

// CellAt is a column and a row of the world.
type CellAt struct{ X, Y int32 }

// Blocks answers it: the cells in the order in which they were asked for, nil
// where the sender has none.
type Blocks struct {
	Query      uint64
	Cells      []*state.Cell
	Characters []*state.Object
	Bytes      int // of the data
	// Pieces are the cells as they travel between real nodes.
	Pieces [][]ObjectPatch
}

// Size makes messages known to simulations.
func (m *Fetch) Size() int {
	size := m.Retrieve.Size() + 2*2 + 4*len(m.Cells) + 8*len(m.Characters) + state.SizeDigest*(len(m.Have)+len(m.HaveTags))
	for _, c := range m.Base {
		size += state.SizeDigest * state.Indicator(c != nil)
	}
	for _, t := range m.BaseTags {
		size += state.SizeDigest * state.Indicator(t != state.SaltedDigest{})
	}
	return size
}

// Size makes messages known to simulations.
func (m *Blocks) Size() int { return 1 + 8 + 2*2 + m.Bytes }
