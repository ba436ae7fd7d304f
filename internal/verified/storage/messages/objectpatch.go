package messages

// ObjectPatch is how an object travels to somebody who may have some version of it.
type ObjectPatch struct {
	How PatchKind
	// In is the cell, and At the place in it, of the version that the difference
	// is from: Based counts the cells from the one that the piece is of, Begun
	// those around it (see originAt). At alone is what the receiver Has, by its
	// place in Fetch.Have.
	In   int32
	At   uint32
	Data []byte // the encoding, or the difference
}

// PatchKind is the kind of a piece.
type PatchKind uint8

// The kinds of piece.
const (
	Whole PatchKind = iota // all of the object
	Has                    // the receiver has it
	Based                  // the difference from what the receiver had an update before
	Begun                  // the difference from what it was at t_0
	pieceKinds
)

// PieceKinds is how many there are.
const PieceKinds = uint32(pieceKinds)

// Code is the kind and In as one number.
func (p *ObjectPatch) Code() uint32 {
	in := uint32(p.In<<1) ^ uint32(p.In>>31)
	return in*PieceKinds + uint32(p.How)
}

// SetCode is its inverse.
func (p *ObjectPatch) SetCode(v uint32) {
	in := v / PieceKinds
	p.How, p.In = PatchKind(v%PieceKinds), int32(in>>1)^-int32(in&1)
}

// Size is what a piece takes whose data is so long.
func (p *ObjectPatch) Size(data int) int {
	size := uvarintSize(uint64(p.Code()))
	if p.How != Whole {
		size += uvarintSize(uint64(p.At))
	}
	if p.How != Has {
		size += uvarintSize(uint64(data)) + data
	}
	return size
}

func uvarintSize(v uint64) int {
	size := 1
	for ; v >= 0x80; v >>= 7 {
		size++
	}
	return size
}
