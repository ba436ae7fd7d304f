package group

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

func someWrite() machine.DiskWrite {
	return machine.DiskWrite{
		Space:        space,
		DeletePrefix: [][]byte{{}, []byte("p")},
		Delete:       [][]byte{[]byte("d")},
		Put:          []machine.KV{{Key: []byte("k"), Value: bytes.Repeat([]byte("v"), 300)}, {Key: []byte{}, Value: []byte{}}},
		Then:         []machine.DiskWrite{{Space: space, Put: []machine.KV{{Key: []byte("t"), Value: []byte("u")}}}},
	}
}

func someShared() shared {
	peer := func(s string) machine.Peer {
		return machine.Peer{ID: id.Of([]byte(s)), Addr: machine.Addr{1, 2, 17: 9}}
	}
	return shared{
		Applied: 7, AppliedTerm: 3, NextID: 5,
		Members: []Member{{1, peer("a"), false}, {4, peer("b"), true}},
		Wanted:  []machine.Peer{peer("c")},
		Former:  []machine.Peer{peer("e"), peer("d")},

		Restored: 1 << 40, Basis: []byte("signed"),
	}
}

// TestEncoding: what is written is read, and nothing that is cut short.
func TestEncoding(t *testing.T) {
	entry := appendWrite([]byte{entryWrites, 9, 1}, someWrite())
	seq, ws, err := decodeWrites(space, entry)
	if err != nil || seq != 9 || !reflect.DeepEqual(ws, []machine.DiskWrite{someWrite()}) {
		t.Errorf("%d %+v %v", seq, ws, err)
	}
	st := state{Gen: Gen{2, 1 << 63}, Self: 4, Removed: true, Base: 3, BaseTerm: 2, shared: someShared()}
	if got, err := decodeState(st.encode()); err != nil || !reflect.DeepEqual(got, st) {
		t.Errorf("%+v %v", got, err)
	}
	old := st
	old.Basis = nil
	before := old.encode()
	before[0] = stateWithoutBasis
	if got, err := decodeState(before[:len(before)-1]); err != nil || !reflect.DeepEqual(got, old) {
		t.Errorf("a state of the layout before: %+v %v", got, err)
	}
	old.Former, old.Restored = nil, 0
	before = old.encode()
	before[0] = stateWithoutFormer
	if got, err := decodeState(before[:len(before)-3]); err != nil || !reflect.DeepEqual(got, old) {
		t.Errorf("a state of the first layout: %+v %v", got, err)
	}
	hs := hardState{3, 4, 5, 6e9}
	if got, err := decodeHard(hs.encode()); err != nil || got != hs {
		t.Errorf("%+v %v", got, err)
	}
	m := Member{ID: 4, Peer: st.Members[1].Peer}
	if got, err := decodeMember(encodeMember(m)); err != nil || got != m {
		t.Errorf("%+v %v", got, err)
	}
	if got, err := decodeWanted(encodeWanted(st.Wanted)); err != nil || !reflect.DeepEqual(got, st.Wanted) {
		t.Errorf("%+v %v", got, err)
	}
	kvs := appendKV(appendKV(nil, someWrite().Put[0]), someWrite().Put[1])
	if got, err := decodeKVs(kvs); err != nil || !reflect.DeepEqual(got, someWrite().Put) {
		t.Errorf("%+v %v", got, err)
	}
	for what, b := range map[string][]byte{"entry": entry, "state": st.encode(), "hard": hs.encode(), "member": encodeMember(m)} {
		for n := range b {
			if decodeAny(what, b[:n]) == nil {
				t.Errorf("%s of %d bytes cut to %d is taken", what, len(b), n)
			}
		}
		if decodeAny(what, append(bytes.Clone(b), 0)) == nil {
			t.Errorf("%s with a byte too many is taken", what)
		}
	}
}

func decodeAny(what string, b []byte) (err error) {
	switch what {
	case "entry":
		_, _, err = decodeWrites(space, b)
	case "state":
		_, err = decodeState(b)
	case "hard":
		_, err = decodeHard(b)
	case "member":
		_, err = decodeMember(b)
	}
	return err
}

// TestFragmentedWrites: cut entries are put together again, in whatever sizes.
func TestFragmentedWrites(t *testing.T) {
	entry := appendWrite([]byte{entryWrites, 9, 1}, someWrite())
	for limit := 1; limit < len(entry); limit++ {
		var p partialWrite
		var got []byte
		es := entries(entry, limit)
		for i, e := range es {
			if got = p.join(0, e); (got != nil) != (i == len(es)-1) {
				t.Fatalf("limit %d: part %d of %d gives %d bytes", limit, i, len(es), len(got))
			}
		}
		if !bytes.Equal(got, entry) {
			t.Fatalf("limit %d: %d bytes became %d", limit, len(entry), len(got))
		}
	}
}

// FuzzDecode: nothing that comes from a disk or a log makes a decoder panic.
func FuzzDecode(f *testing.F) {
	f.Add(appendWrite([]byte{entryWrites, 9, 1}, someWrite()))
	f.Add((&state{Gen: Gen{2, 3}, shared: someShared()}).encode())
	f.Add(hardState{3, 4, 5, 6}.encode())
	f.Add(encodeWanted(someShared().Wanted))
	f.Fuzz(func(t *testing.T, b []byte) {
		if st, err := decodeState(b); err == nil {
			if again, err := decodeState(st.encode()); err != nil || !reflect.DeepEqual(again, st) {
				t.Errorf("%+v became %+v (%v)", st, again, err)
			}
		}
		_, _, _ = decodeWrites(space, b)
		_, _ = decodeHard(b)
		_, _ = decodeMember(b)
		_, _ = decodeKVs(b)
		if kvs, err := DecodeContent(b); err == nil && len(kvs) > MaxContentKeys {
			t.Errorf("%d keys", len(kvs))
		}
		if ws, err := DecodeChanges("mine", b); err == nil && len(ws) > 0 && ws[0].Space != "mine" {
			t.Errorf("changes of %q", ws[0].Space)
		}
		if len(b) > 0 {
			_, _ = decodeWanted(b)
		}
	})
}
