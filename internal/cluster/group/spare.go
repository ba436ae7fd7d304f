package group

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// The owner of a replica may keep the state of the space on nodes that are no members
// (a spare copy): ReadState gives it the whole state once, Config.Applied every change
// after it.

// State is the space after an entry of the log.
type State struct {
	Gen         Gen
	Term, Index uint64 // of the entry
	Content     []machine.KV
}

// ReadState reads the space with everything that is applied. Outside a group nothing
// happens.
func (r *Replica) ReadState(then func(State, error)) {
	defer r.begin()()
	if r.phase != member {
		return
	}
	s := State{Gen: r.st.Gen}
	r.reads.add(read{
		begin: func() { s.Term, s.Index = r.st.AppliedTerm, r.st.Applied },
		then: func(kvs []machine.KV, err error) {
			s.Content = kvs
			r.events.add(func() { then(s, err) })
		},
	})
}

// SpareSpace is the space in which a node keeps a spare copy of a space.
func SpareSpace(space string) string { return RetiredSpace(space) + ".spare" }

// AppendContent and DecodeContent encode a whole state.
func AppendContent(b []byte, kvs []machine.KV) []byte {
	for _, kv := range kvs {
		b = appendKV(b, kv)
	}
	return b
}

// MaxContentKeys is how many keys a state has at most: small ones would need much memory.
const MaxContentKeys = 1 << 16

// DecodeContent is the inverse of AppendContent.
func DecodeContent(data []byte) (kvs []machine.KV, err error) {
	r := newReader(data)
	for r.Len() > 0 {
		if len(kvs) == MaxContentKeys {
			r.Fail()
			break
		}
		k := r.bytes()
		kvs = append(kvs, machine.KV{Key: k, Value: r.bytes()})
	}
	return kvs, r.end("a spare copy")
}

// AppendChanges and DecodeChanges encode changes of a state, without their spaces.
func AppendChanges(b []byte, ws []machine.DiskWrite) []byte {
	for _, w := range ws {
		b = appendWrite(b, w)
	}
	return b
}

// DecodeChanges is the inverse of AppendChanges; the changes are those of a space.
func DecodeChanges(space string, data []byte) (ws []machine.DiskWrite, err error) {
	r := newReader(data)
	for r.Len() > 0 {
		ws = append(ws, r.write(space, maxThen))
	}
	return ws, r.end("changes of a spare copy")
}
