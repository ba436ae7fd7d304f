package group

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/voxelpopuli/voxelpopuli/internal/core/bin"
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

// reader adds the types of the log to [bin.Reader].
type reader struct{ bin.Reader }

func newReader(b []byte) reader { return reader{bin.NewReader(b)} }

func (r *reader) uint() uint64 { return r.Uint(math.MaxUint64) }

func (r *reader) bytes() []byte { return r.Bytes(math.MaxUint64) }

func (r *reader) peer() (p machine.Peer) {
	p.ID = id.ID(r.Take(id.Size))
	p.Addr = machine.Addr(r.Take(uint64(len(p.Addr))))
	return p
}

// end returns an error unless everything was read and valid.
func (r *reader) end(what string) error {
	if !r.End() {
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
		for n := r.Count(1); n > 0; n-- {
			*list = append(*list, r.bytes())
		}
	}
	for n := r.Count(2); n > 0; n-- {
		k := r.bytes()
		w.Put = append(w.Put, machine.KV{Key: k, Value: r.bytes()})
	}
	n := r.Count(4)
	if n > 0 && depth == 0 {
		r.Fail()
		return w
	}
	for ; n > 0; n-- {
		w.Then = append(w.Then, r.write(space, depth-1))
	}
	return w
}

// decodeWrites reads an entry's writes.
func decodeWrites(space string, data []byte) (seq uint64, ws []machine.DiskWrite, err error) {
	r := newReader(data)
	if r.Byte() != entryWrites {
		r.Fail()
	}
	seq = r.uint()
	for n := r.Count(4); n > 0; n-- {
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
	for n := r.Count(peerSize); n > 0; n-- {
		ps = append(ps, r.peer())
	}
	return ps
}

func decodeWanted(data []byte) ([]machine.Peer, error) {
	r := newReader(data[1:])
	ps := r.peers()
	return ps, r.end("a log entry")
}

// appendKV and decodeKVs are the content of a snapshot.
func appendKV(b []byte, kv machine.KV) []byte {
	return appendBytes(appendBytes(b, kv.Key), kv.Value)
}

func decodeKVs(data []byte) (kvs []machine.KV, err error) {
	r := newReader(data)
	for r.Len() > 0 {
		k := r.bytes()
		kvs = append(kvs, machine.KV{Key: k, Value: r.bytes()})
	}
	return kvs, r.end("a part of a snapshot")
}
