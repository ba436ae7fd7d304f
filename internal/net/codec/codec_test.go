package codec

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/session"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
)

// Every field of every message comes back: with everything set, and with
// nothing.
func TestEveryFieldComesBack(t *testing.T) {
	c := newCodec()
	for _, k := range byNumber {
		if k == nil {
			continue
		}
		for seed := range uint64(20) {
			m := filled(k, seed)
			b, err := c.Append(nil, m)
			if err != nil {
				t.Fatalf("%v, seed %d: %v", k.typ, seed, err)
			}
			got, err := c.Decode(b)
			if err != nil || !same(m, got) {
				t.Fatalf("%v, seed %d: %v\nsent %+v\ngot  %+v", k.typ, seed, err, m, got)
			}
		}
		b, err := c.Append([]byte("before"), k.blank())
		if k.whole {
			if !errors.Is(err, ErrMalformed) && !same(k.blank(), &messages.Push{}) {
				t.Errorf("%v without anything was written: %v", k.typ, err)
			}
			continue
		}
		if err != nil || !bytes.HasPrefix(b, []byte("before")) {
			t.Fatalf("%v: %v", k.typ, err)
		}
		if got, err := c.Decode(b[6:]); err != nil || !same(k.blank(), got) {
			t.Errorf("%v, empty: %+v, %v", k.typ, got, err)
		}
	}
}

var update = flag.Bool("update", false, "write testdata/golden.txt")

// The bytes of messages, by which nodes of different versions understand each
// other: testdata/golden.txt changes only together with a new number.
func TestGolden(t *testing.T) {
	c := newCodec()
	var out strings.Builder
	for _, k := range byNumber {
		if k == nil {
			continue
		}
		b, err := c.Append(nil, filled(k, 1))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := k.blank().(*region.Columns); ok {
			b = b[:min(len(b), 24)] // what deflate makes of the rest is its own
		}
		fmt.Fprintf(&out, "%d %v %s\n", k.number, k.typ, hex.EncodeToString(b))
	}
	const file = "testdata/golden.txt"
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != out.String() {
		t.Errorf("the bytes of messages have changed (go test ./internal/net/codec -update writes them anew):\n%s", out.String())
	}
}

func TestDecodeRefuses(t *testing.T) {
	c := New()
	whole, err := c.Append(nil, filled(byNumber[2], 1))
	if err != nil {
		t.Fatal(err)
	}
	deep := machine.Message(&region.To{})
	for range maxDepth + 1 {
		deep = &region.To{Msg: deep}
	}
	var nested []byte
	for range 100 {
		nested = append(nested, 16, 0, 0)
	}
	for name, b := range map[string][]byte{
		"nothing":           {},
		"no message":        {0},
		"too many bytes":    append(bytes.Clone(whole), 0),
		"a long number":     {0x80 | 16, 0, 0, 0},
		"unknown flags":     {40, 0, 9},
		"endless nesting":   nested,
		"not UTF-8":         {65, 1, 0xff},
		"long text":         {65, 0xff, 0xff, 0x7f},
		"many contacts":     append(append([]byte{2}, make([]byte, 10)...), 29),
		"a mapped v6 peer":  append(append([]byte{39}, make([]byte, 40)...), append([]byte{6}, mappedAddr()...)...),
		"a family":          append(append([]byte{39}, make([]byte, 40)...), 5),
		"a column too long": {27, 0, 0, 0, 1, 1, 0, 0, 1, 5, 1, 2, 3, 4, 5, 0},
	} {
		if m, err := c.Decode(b); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
	for i := range whole {
		if _, err := c.Decode(whole[:i]); err == nil {
			t.Errorf("the first %d of %d bytes of a message are taken for one", i, len(whole))
		}
	}
	for _, b := range [][]byte{{250, 1}, {255, 255, 3}} {
		if _, err := c.Decode(b); !errors.Is(err, ErrUnknown) {
			t.Errorf("%x: %v", b, err)
		}
	}
	for _, m := range []machine.Message{nil, 7, "text", kademlia.Request{}} {
		if b, err := c.Append([]byte{1}, m); m != nil && !errors.Is(err, ErrUnknown) || len(b) == 0 {
			t.Errorf("%T: %x, %v", m, b, err)
		}
	}
	for _, m := range []machine.Message{deep, &region.Heard{Name: "\xff"}, &region.Heard{Name: strings.Repeat("x", maxName+1)}} {
		if b, err := c.Append([]byte{1}, m); !errors.Is(err, ErrMalformed) || len(b) != 1 {
			t.Errorf("%T was written: %v", m, err)
		}
	}
}

func mappedAddr() []byte { return append(bytes.Clone(mapped[:]), 1, 2, 3, 4, 5, 6) }

// Messages of the directory fit into a datagram, with what
// the transport adds.
func TestDatagramsFit(t *testing.T) {
	const most = 1280 - 100
	c := New()
	addr := machine.Addr{0x20, 1}
	var far []machine.Peer
	for i := range kademlia.MaxContacts {
		far = append(far, machine.Peer{ID: id.Of([]byte{byte(i)}), Addr: addr})
	}
	rec := &kademlia.Record{Version: 1 << 63, Until: 1 << 62, Payload: make([]byte, kademlia.MaxRecord)}
	for _, m := range []machine.Message{
		&kademlia.Reply{Contacts: far}, &kademlia.Reply{Record: rec}, &kademlia.Request{Record: rec},
	} {
		if b, err := c.Append(nil, m); err != nil || len(b) > most {
			t.Errorf("%T: %d bytes, at most %d fit, %v", m, len(b), most, err)
		}
	}
}

// What a node answers to somebody unknown fits beside its credentials, if it
// shows no proof: contacts with addresses of IPv6, and a record.
func TestAnswersFit(t *testing.T) {
	var self [32]byte
	k := kademlia.New(kademlia.Config{Self: id.Of(self[:])}, nowhere{})
	for i := range byte(200) {
		k.Table().Seen(machine.Peer{ID: id.Of([]byte{i}), Addr: machine.Addr{0x20, 1}})
	}
	reply := k.Answer(&kademlia.Request{RPC: 1 << 63, Proc: kademlia.FindNode, Key: id.Of([]byte("x"))}).(*kademlia.Reply)
	if len(reply.Contacts) <= kademlia.DefaultK {
		t.Errorf("%d contacts are named, not more than k", len(reply.Contacts))
	}
	rec := &kademlia.Record{Version: 1 << 63, Until: 1 << 62, Payload: make([]byte, kademlia.MaxRecord)}
	for _, m := range []machine.Message{reply, &kademlia.Reply{RPC: 1 << 63, Record: rec}} {
		if b, err := New().Append(nil, m); err != nil || len(b) > transport.MaxAnswer {
			t.Errorf("%T: %d bytes, at most %d fit, %v", m, len(b), transport.MaxAnswer, err)
		}
	}
	q := &kademlia.Request{RPC: 1 << 63, Proc: kademlia.FindChunk}
	if b, err := New().Append(nil, q); err != nil || len(b) > session.MaxQuestion {
		t.Errorf("a question: %d bytes, at most %d fit, %v", len(b), session.MaxQuestion, err)
	}
}

// nowhere is an Env for what does nothing but look.
type nowhere struct{ machine.Env }

func (nowhere) Now() machine.Time { return 1 }

// The same frozen column is packed once, however many it goes to, and what is
// kept is bounded.
func TestColumnsArePackedOnce(t *testing.T) {
	c := New()
	col := someColumn(1)
	first := c.columns.pack(col)
	if c.columns.pack(col) != first {
		t.Error("packed twice")
	}
	for i := range 3 * keepColumns {
		c.columns.pack(someColumn(uint64(i)))
	}
	if n := len(c.columns.packed); n > keepColumns {
		t.Errorf("%d columns are kept, want %d at most", n, keepColumns)
	}
}

// A column that comes again with the same bytes is the same column, and goes on
// with the bytes that it came with; a changed one is another.
func TestColumnsAreUnpackedOnce(t *testing.T) {
	from, c := New(), New()
	come := func(col *world.Column) *world.Column {
		b, err := from.Append(nil, &region.Columns{Columns: []region.Column{{Column: col}}})
		if err != nil {
			t.Fatal(err)
		}
		m, err := c.Decode(b)
		if err != nil {
			t.Fatal(err)
		}
		return m.(*region.Columns).Columns[0].Column
	}
	col := someColumn(1)
	first := come(col)
	if !first.Equal(col) || come(col) != first {
		t.Error("the same column comes twice as two")
	}
	if !bytes.Equal(c.Packed(first).Deflated, from.Packed(col).Deflated) {
		t.Error("a column goes on with other bytes than it came with")
	}
	changed := col.Clone()
	changed.Set(1, 200, 1, world.Stone)
	if next := come(changed); next == first || !next.Equal(changed) {
		t.Error("a changed column comes as the one before")
	}
	if again := come(col); !again.Equal(col) {
		t.Error("a column that has been as it was before comes as the changed one")
	}
	for i := range 3 * keepColumns {
		come(someColumn(uint64(i)))
	}
	if n := len(c.columns.came); n > keepColumns || n > len(c.columns.packed) {
		t.Errorf("%d columns are kept, want %d at most", n, keepColumns)
	}
}

func FuzzDecode(f *testing.F) {
	c := newCodec()
	for _, k := range byNumber {
		if k != nil {
			b, err := c.Append(nil, filled(k, 2))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := c.Decode(b)
		if err != nil {
			return
		}
		again, err := c.Append(nil, m)
		if err != nil {
			t.Fatalf("%+v was read but cannot be written: %v", m, err)
		}
		back, err := c.Decode(again)
		if err != nil || !same(m, back) {
			t.Fatalf("%v\nread     %+v\nand then %+v", err, m, back)
		}
		if !holdsColumns(m) && !bytes.Equal(b, again) {
			t.Fatalf("%x and %x are the same message", b, again)
		}
	})
}

func holdsColumns(m machine.Message) bool {
	switch m := m.(type) {
	case *region.Columns:
		return true
	case *region.To:
		return holdsColumns(m.Msg)
	case *routing.Routed:
		return holdsColumns(m.Msg)
	case *node.ToSessions:
		return holdsColumns(m.Msg)
	case *region.Forward:
		return holdsColumns(m.Msg)
	}
	return false
}

func benchmark(b *testing.B, m machine.Message) {
	c := New()
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if buf, err = c.Append(buf[:0], m); err != nil {
			b.Fatal(err)
		}
		if _, err := c.Decode(buf); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(buf)), "bytes")
}

func BenchmarkFrame(b *testing.B) {
	benchmark(b, &region.Frame{Tick: 1 << 35, Own: region.Own{HasAck: true, Ack: 1000}, Cells: make([]byte, 600)})
}

func BenchmarkInputs(b *testing.B) {
	in := &region.Inputs{First: 1 << 20, Steps: []region.Step{{Yaw: 3000, Pitch: 20}}, Pos: world.Vec{X: 1 << 20, Y: 70 << 12, Z: -1 << 20}}
	benchmark(b, &region.To{Region: world.RegionPos{X: 3, Z: -2}, Msg: in})
}

func BenchmarkReply(b *testing.B) {
	m := &kademlia.Reply{RPC: 1 << 60}
	for i := range 20 {
		m.Contacts = append(m.Contacts, machine.Peer{ID: id.Of([]byte{byte(i)}), Addr: machine.Addr{10: 255, 11: 255, 12: 10}})
	}
	benchmark(b, m)
}
