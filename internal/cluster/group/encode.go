package group

import (
	"encoding/binary"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// The encoding of the log's entries and of the records in a replica's own space:
// numbers are varints; bytes and lists have their length in front.

func appendBytes(b, v []byte) []byte {
	return append(binary.AppendUvarint(b, uint64(len(v))), v...)
}

func appendPeer(b []byte, p machine.Peer) []byte {
	return append(append(b, p.ID[:]...), p.Addr[:]...)
}

// reader decodes; after the first error it returns zeros.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count reads the length of a list whose elements take at least least bytes.
func (r *reader) count(least int) int {
	n := r.uint()
	if n > uint64(len(r.b)/least) {
		r.bad, r.b = true, nil
		return 0
	}
	return int(n)
}

func (r *reader) take(n int) []byte {
	if n > len(r.b) {
		r.bad, r.b = true, nil
		return make([]byte, n)
	}
	v := r.b[:n:n]
	r.b = r.b[n:]
	return v
}

func (r *reader) bytes() []byte { return r.take(r.count(1)) }

func (r *reader) peer() (p machine.Peer) {
	p.ID = id.ID(r.take(len(p.ID)))
	p.Addr = machine.Addr(r.take(len(p.Addr)))
	return p
}

// end returns an error unless everything was read and valid.
func (r *reader) end(what string) error {
	if r.bad || len(r.b) > 0 {
		return fmt.Errorf("%s: %w", what, ErrCorrupt)
	}
	return nil
}

const peerSize = id.Size + len(machine.Addr{})

// Kinds of entries in the log. An empty entry is a new leader's.
const (
	entryWrites   = 'w' // the leader's sequence number, then writes
	entryFragment = 'p' // a part of an entryWrites that is too large for one entry; the last is an entryEnd
	entryEnd      = 'e'
	entryWanted   = 'm' // the wanted members
)

// appendWrite encodes a write without its space, which is the group's.
func appendWrite(b []byte, w machine.DiskWrite) []byte {
	for _, list := range [][][]byte{w.DeletePrefix, w.Delete} {
		b = binary.AppendUvarint(b, uint64(len(list)))
		for _, k := range list {
			b = appendBytes(b, k)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(w.Put)))
	for _, kv := range w.Put {
		b = appendBytes(appendBytes(b, kv.Key), kv.Value)
	}
	b = binary.AppendUvarint(b, uint64(len(w.Then)))
	for _, t := range w.Then {
		b = appendWrite(b, t)
	}
	return b
}

// maxThen is how deep writes may be nested.
const maxThen = 4

func (r *reader) write(space string, depth int) machine.DiskWrite {
	w := machine.DiskWrite{Space: space}
	for _, list := range []*[][]byte{&w.DeletePrefix, &w.Delete} {
		for n := r.count(1); n > 0; n-- {
			*list = append(*list, r.bytes())
		}
	}
	for n := r.count(2); n > 0; n-- {
		k := r.bytes()
		w.Put = append(w.Put, machine.KV{Key: k, Value: r.bytes()})
	}
	n := r.count(4)
	if n > 0 && depth == 0 {
		r.bad, r.b = true, nil
		return w
	}
	for ; n > 0; n-- {
		w.Then = append(w.Then, r.write(space, depth-1))
	}
	return w
}

// decodeWrites reads an entry's writes.
func decodeWrites(space string, data []byte) (seq uint64, ws []machine.DiskWrite, err error) {
	r := reader{b: data}
	if k := r.take(1); k[0] != entryWrites {
		r.bad = true
	}
	seq = r.uint()
	for n := r.count(4); n > 0; n-- {
		ws = append(ws, r.write(space, maxThen))
	}
	return seq, ws, r.end("a log entry")
}

// entries cuts an encoded entryWrites into entries of at most about limit bytes.
func entries(data []byte, limit int) (out [][]byte) {
	if len(data) <= limit+64 { // limit is that of the writes without their header
		return [][]byte{data}
	}
	for len(data) > limit {
		out = append(out, append([]byte{entryFragment}, data[:limit]...))
		data = data[limit:]
	}
	return append(out, append([]byte{entryEnd}, data...))
}

func encodeWanted(peers []machine.Peer) []byte {
	b := binary.AppendUvarint([]byte{entryWanted}, uint64(len(peers)))
	for _, p := range peers {
		b = appendPeer(b, p)
	}
	return b
}

func (r *reader) peers() (ps []machine.Peer) {
	for n := r.count(peerSize); n > 0; n-- {
		ps = append(ps, r.peer())
	}
	return ps
}

func decodeWanted(data []byte) ([]machine.Peer, error) {
	r := reader{b: data[1:]}
	ps := r.peers()
	return ps, r.end("a log entry")
}

// appendKV and decodeKVs are the content of a snapshot.
func appendKV(b []byte, kv machine.KV) []byte {
	return appendBytes(appendBytes(b, kv.Key), kv.Value)
}

func decodeKVs(data []byte) (kvs []machine.KV, err error) {
	r := reader{b: data}
	for len(r.b) > 0 {
		k := r.bytes()
		kvs = append(kvs, machine.KV{Key: k, Value: r.bytes()})
	}
	return kvs, r.end("a part of a snapshot")
}
