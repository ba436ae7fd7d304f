package kademlia

import (
	"bytes"
	"encoding/binary"
	"fmt"
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

// SaveRecords returns what is to be changed on the disk, so that it has the records of a
// table that this node keeps: if all nodes near a key end within seconds, nobody else has
// its record. Each is under its own key; gone are the keys of those that have expired or are
// not among the nearest any more. Nothing is changed while what was loaded is verified.
func (n *Node) SaveRecords(kind Kind) (put []machine.KV, gone [][]byte) {
	if n.loading > 0 {
		return nil, nil
	}
	wanted := n.toSave(kind)
	for _, key := range wanted {
		if r := n.held[kind][key].rec; n.saved[recordKey{kind, key}] != r {
			n.saved[recordKey{kind, key}] = r
			put = append(put, machine.KV{Key: key[:], Value: r.appendSaved([]byte{savedVersion})})
		}
	}
	if len(n.saved) == len(wanted) {
		return put, nil
	}
	keep := make(map[id.ID]bool, len(wanted))
	for _, key := range wanted {
		keep[key] = true
	}
	for k := range n.saved { // sorted below
		if k.kind == kind && !keep[k.key] {
			delete(n.saved, k)
			gone = append(gone, k.key[:])
		}
	}
	slices.SortFunc(gone, bytes.Compare)
	return put, gone
}

// NotSaved is when what SaveRecords has returned did not come to the disk: all is written
// again.
func (n *Node) NotSaved() { clear(n.saved) }

// toSave are the keys of the records of a table that are saved.
func (n *Node) toSave(kind Kind) []id.ID {
	now := n.env.Now()
	keys := slices.DeleteFunc(sortedKeys(n.held[kind]), func(key id.ID) bool {
		h := n.held[kind][key]
		return h.until <= now || h.claim
	})
	if len(keys) > maxSavedRecords {
		slices.SortFunc(keys, func(a, b id.ID) int { return one(Closer(n.cfg.Self, b, a)) - one(Closer(n.cfg.Self, a, b)) })
		keys = keys[:maxSavedRecords]
	}
	return keys
}

// appendSaved appends a record without its table and key, readSaved reads it.
func (r *Record) appendSaved(dst []byte) []byte {
	dst = binary.BigEndian.AppendUint64(dst, r.Version)
	dst = binary.BigEndian.AppendUint64(dst, uint64(r.Until))
	dst = append(append(dst, r.Signer[:]...), r.Sig[:]...)
	dst = binary.AppendUvarint(dst, uint64(len(r.Payload)))
	return append(dst, r.Payload...)
}

func readSaved(r *bin.Reader, kind Kind, key id.ID) *Record {
	return &Record{
		Kind: kind, Key: key, Version: r.U64(), Until: machine.Time(r.U64()),
		Signer: [32]byte(r.Take(32)), Sig: [64]byte(r.Take(64)), Payload: r.Bytes(MaxRecord),
	}
}

// LoadRecord takes a record that SaveRecords has saved. It is verified like one that another
// node stores here; what has expired or is refused is removed from the disk with the next
// change.
func (n *Node) LoadRecord(kind Kind, key, value []byte) error {
	r := bin.NewReader(value)
	if len(key) == id.Size {
		n.saved[recordKey{kind, id.ID(key)}] = nil
	}
	if version := r.Byte(); len(key) != id.Size || version != savedVersion {
		return fmt.Errorf("%w: a record of version %d, this program knows %d", ErrSaved, version, savedVersion)
	}
	rec := readSaved(&r, kind, id.ID(key))
	if !r.End() {
		return fmt.Errorf("%w: a record that cannot be read", ErrSaved)
	}
	n.saved[recordKey{kind, rec.Key}] = rec
	n.load(rec)
	return nil
}

// LoadRecords takes the records of a table as they were saved before each had its own key.
func (n *Node) LoadRecords(b []byte, kind Kind) error {
	r := bin.NewReader(b)
	if version := r.Byte(); version != savedVersion {
		return fmt.Errorf("%w: records of version %d, this program knows %d", ErrSaved, version, savedVersion)
	}
	var list []*Record
	for r.Len() > 0 && len(list) < maxSavedRecords {
		list = append(list, readSaved(&r, kind, id.ID(r.Take(id.Size))))
	}
	if !r.End() {
		return fmt.Errorf("%w: records that cannot be read", ErrSaved)
	}
	for _, rec := range list {
		n.load(rec)
	}
	return nil
}

// load remembers a record from the disk once it is verified.
func (n *Node) load(rec *Record) {
	if rec.plausible(rec.Kind, rec.Key, n.env.Now()) != OK {
		return
	}
	n.loading++
	n.verify(rec, func(err error) {
		if err == nil {
			n.remember(rec)
		}
		if n.loading--; n.loading == 0 {
			n.kept++ // what was kept meanwhile is to be saved
		}
	})
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
