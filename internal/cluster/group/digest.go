package group

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Digest is a hash of a whole state that follows its changes: it has the hash of each
// value, so that a change costs as much as what it changes.
type Digest struct{ values map[string][sha256.Size]byte }

// DigestOf is the digest of a state.
func DigestOf(kvs []machine.KV) *Digest {
	d := &Digest{values: make(map[string][sha256.Size]byte, len(kvs))}
	d.put(kvs)
	return d
}

func (d *Digest) put(kvs []machine.KV) {
	for _, kv := range kvs {
		d.values[string(kv.Key)] = sha256.Sum256(kv.Value)
	}
}

// Apply follows changes, in the order in which a disk makes them.
func (d *Digest) Apply(ws []machine.DiskWrite) {
	for _, w := range ws {
		for _, prefix := range w.DeletePrefix {
			maps.DeleteFunc(d.values, func(k string, _ [sha256.Size]byte) bool { return strings.HasPrefix(k, string(prefix)) })
		}
		for _, k := range w.Delete {
			delete(d.values, string(k))
		}
		d.put(w.Put)
		d.Apply(w.Then)
	}
}

// Sum is the hash of the state.
func (d *Digest) Sum() (sum [sha256.Size]byte) {
	h := sha256.New()
	var b []byte
	for _, k := range slices.Sorted(maps.Keys(d.values)) {
		v := d.values[k]
		b = append(append(binary.AppendUvarint(b[:0], uint64(len(k))), k...), v[:]...)
		h.Write(b)
	}
	return [sha256.Size]byte(h.Sum(nil))
}
