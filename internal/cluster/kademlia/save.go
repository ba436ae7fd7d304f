package kademlia

import (
	"errors"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// ErrSaved is wrapped by the error of what was saved and cannot be read.
var ErrSaved = errors.New("damaged list of contacts or records")

const (
	savedVersion = 1
	savedPeer    = id.Size + len(machine.Addr{})
	maxSaved     = Bits * DefaultK
)

// AppendSaved appends the contacts that answered last time, for the disk: the
// node may Join by them when it starts again, even if the nodes that it was told
// of are gone.
func (t *Table) AppendSaved(dst []byte) []byte {
	dst = append(dst, savedVersion)
	for _, b := range t.buckets {
		if b == nil {
			continue
		}
		for _, c := range b.contacts {
			if c.failures == 0 {
				dst = append(append(dst, c.peer.ID[:]...), c.peer.Addr[:]...)
			}
		}
	}
	return dst
}

// DecodeSaved reads what AppendSaved wrote. Nothing is nobody.
func DecodeSaved(b []byte) ([]machine.Peer, error) {
	if len(b) == 0 {
		return nil, nil
	}
	version, b := b[0], b[1:]
	switch {
	case version != savedVersion:
		return nil, fmt.Errorf("%w: version %d, this program knows %d", ErrSaved, version, savedVersion)
	case len(b)%savedPeer != 0 || len(b) > maxSaved*savedPeer:
		return nil, fmt.Errorf("%w: %d bytes", ErrSaved, len(b))
	}
	out := make([]machine.Peer, len(b)/savedPeer)
	for i := range out {
		copy(out[i].ID[:], b)
		copy(out[i].Addr[:], b[id.Size:])
		b = b[savedPeer:]
	}
	return out, nil
}
