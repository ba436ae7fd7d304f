package kademlia

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/bin"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// maxSavedRecords bounds the records of one table that are saved: those nearest to the node.
const maxSavedRecords = 1 << 12

// Kept counts how often this node has kept a record: when it has grown, there is something
// to save.
func (n *Node) Kept() uint64 { return n.kept }

// AppendRecords appends the records of a table that this node keeps, for the disk: if all
// nodes near a key end within seconds, nobody else has its record.
func (n *Node) AppendRecords(dst []byte, kind Kind) []byte {
	now := n.env.Now()
	keys := slices.Collect(maps.Keys(n.held[kind]))
	keys = slices.DeleteFunc(keys, func(key id.ID) bool {
		h := n.held[kind][key]
		return h.until <= now || h.claim
	})
	slices.SortFunc(keys, func(a, b id.ID) int { return one(Closer(n.cfg.Self, b, a)) - one(Closer(n.cfg.Self, a, b)) })
	dst = append(dst, savedVersion)
	for _, key := range keys[:min(len(keys), maxSavedRecords)] {
		r := n.held[kind][key].rec
		dst = append(dst, r.Key[:]...)
		dst = binary.BigEndian.AppendUint64(dst, r.Version)
		dst = binary.BigEndian.AppendUint64(dst, uint64(r.Until))
		dst = append(append(dst, r.Signer[:]...), r.Sig[:]...)
		dst = binary.AppendUvarint(dst, uint64(len(r.Payload)))
		dst = append(dst, r.Payload...)
	}
	return dst
}

// LoadRecords takes what AppendRecords wrote. Each record is verified like one that another
// node stores here; those that have expired are left out.
func (n *Node) LoadRecords(b []byte, kind Kind) error {
	r := bin.NewReader(b)
	if version := r.Byte(); version != savedVersion {
		return fmt.Errorf("%w: records of version %d, this program knows %d", ErrSaved, version, savedVersion)
	}
	var list []*Record
	for r.Len() > 0 && len(list) < maxSavedRecords {
		list = append(list, &Record{
			Kind: kind, Key: id.ID(r.Take(id.Size)), Version: r.U64(), Until: machine.Time(r.U64()),
			Signer: [32]byte(r.Take(32)), Sig: [64]byte(r.Take(64)), Payload: r.Bytes(MaxRecord),
		})
	}
	if !r.End() {
		return fmt.Errorf("%w: records that cannot be read", ErrSaved)
	}
	for _, rec := range list {
		if rec.plausible(kind, rec.Key, n.env.Now()) == OK {
			n.verify(rec, func(err error) {
				if err == nil {
					n.remember(rec)
				}
			})
		}
	}
	return nil
}

// remember keeps a record from before a restart, if nobody has stored one since. Others may
// have replaced it while this node was off. So it keeps others from being created, but it
// is given to nobody before the nodes near the key were asked: if none of them has one, or
// only an older one, it counts like any other.
func (n *Node) remember(r *Record) {
	if n.live(r.Kind, r.Key) == nil && n.keep(r, n.env.Now()) == OK {
		n.held[r.Kind][r.Key].remembered = true
	}
}

// check asks the nodes near the key of a remembered record for theirs.
func (n *Node) check(h *holding) {
	if h.checking {
		return
	}
	h.checking = true
	n.start(&lookup{target: h.rec.Key, proc: find(h.rec.Kind), done: func(l *lookup) {
		h.checking = false
		n.compareRemembered(l)
	}})
}

// compareRemembered compares what a lookup has found with the remembered record that is
// here, if there is one. The lookup ends with the one that counts.
func (n *Node) compareRemembered(l *lookup) {
	h := n.live(l.proc.kind(), l.target)
	switch {
	case h == nil || !h.remembered:
	case l.best == nil:
		h.remembered = len(l.result().Closest) == 0 // nobody has answered
		l.best = h.rec
	case n.supersedes(h.rec, l.best):
		h.remembered = false
		l.best = h.rec
	default:
		delete(n.held[l.proc.kind()], l.target)
		n.keep(l.best, n.env.Now())
	}
}
