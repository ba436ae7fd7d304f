package decision

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

var (
	testWorld = id.Of([]byte("world"))
	start     = time.UnixMilli(1_800_000_000_000)
)

// person is somebody with a key.
type person struct {
	key ed25519.PrivateKey
	id  id.ID
}

func someone(name string) *person {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte(name), 32)[:32])
	return &person{key: key, id: id.Of(key.Public().(ed25519.PublicKey))}
}

func (p *person) public() [32]byte { return [32]byte(p.key.Public().(ed25519.PublicKey)) }

// tick makes every statement of a test later than the one before.
var tick = uint64(start.UnixMilli())

func (p *person) says(s Statement) *Statement {
	tick++
	if s.Seq == 0 {
		s.Seq = tick
	}
	s.World = testWorld
	s.Sign(p.key)
	return &s
}

func (p *person) op(who *person) *Statement {
	return p.says(Statement{Topic: Operator, On: true, Subject: who.id, Name: "x"})
}

func (p *person) deop(who *person, keep bool) *Statement {
	return p.says(Statement{Topic: Operator, Subject: who.id, Keep: keep})
}

func (p *person) ban(who *person, on bool) *Statement {
	return p.says(Statement{Topic: Ban, On: on, Subject: who.id})
}

func merge(t *testing.T, l *Log, want error, list ...*Statement) {
	t.Helper()
	if _, err := l.Merge(list, start.Add(time.Hour)); !errors.Is(err, want) {
		t.Fatalf("merge: %v, want %v", err, want)
	}
}

func operators(t *testing.T, l *Log, want ...*person) {
	t.Helper()
	if got := len(l.Operators()); got != len(want) {
		t.Fatalf("%d operators, want %d", got, len(want))
	}
	for _, p := range want {
		if !l.IsOperator(p.id) {
			t.Fatalf("%v is no operator", p.id.Short())
		}
	}
}

func TestAuthority(t *testing.T) {
	root, ann, bo, cy, eve := someone("root"), someone("ann"), someone("bo"), someone("cy"), someone("eve")
	l := New(testWorld, root.public())
	operators(t, l)
	merge(t, l, nil, root.op(ann), ann.op(bo), bo.op(cy))
	operators(t, l, ann, bo, cy)

	// Somebody without authority decides nothing.
	merge(t, l, ErrAuthority, eve.op(eve))
	merge(t, l, ErrAuthority, eve.ban(ann, true))
	forged := root.op(eve)
	forged.Signature[3] ^= 1
	merge(t, l, ErrSignature, forged)
	forged = ann.op(eve)
	forged.Issuer = root.public()
	merge(t, l, ErrSignature, forged)
	elsewhere := root.op(eve)
	elsewhere.World = id.ID{1}
	elsewhere.Sign(root.key)
	merge(t, l, ErrWorld, elsewhere)
	merge(t, l, ErrTime, root.says(Statement{Topic: Operator, On: true, Subject: eve.id, Seq: uint64(start.Add(3 * time.Hour).UnixMilli())}))
	operators(t, l, ann, bo, cy)

	// Nobody undoes what was granted above or beside.
	merge(t, l, nil, bo.deop(ann, false), cy.deop(ann, false), cy.deop(bo, false))
	operators(t, l, ann, bo, cy)
	if l.MayUndo(bo.id, ann.id) || l.MayUndo(ann.id, ann.id) || !l.MayUndo(ann.id, cy.id) || !l.MayUndo(root.id, ann.id) {
		t.Error("MayUndo")
	}

	// Who goes takes along those below, and what they decided, unless it is kept.
	merge(t, l, nil, bo.ban(eve, true), cy.ban(someone("dan"), true))
	if l.Banned(eve.id, "", start) == nil {
		t.Fatal("not banned")
	}
	merge(t, l, nil, ann.deop(bo, true))
	operators(t, l, ann)
	if l.Banned(eve.id, "", start) == nil || l.Banned(someone("dan").id, "", start) != nil {
		t.Error("kept: want the ban of who was named, not that of who was below")
	}
	merge(t, l, ErrAuthority, bo.ban(ann, true))
	merge(t, l, nil, ann.deop(bo, false))
	if l.Banned(eve.id, "", start) != nil {
		t.Error("a ban of a former operator counts though nobody kept it")
	}
	merge(t, l, nil, root.op(bo), bo.op(cy))
	operators(t, l, ann, bo, cy)
}

func TestBans(t *testing.T) {
	root, ann, eve := someone("root"), someone("ann"), someone("eve")
	l := New(testWorld, root.public())
	merge(t, l, nil, root.op(ann))
	merge(t, l, nil, root.says(Statement{Topic: Ban, On: true, Subject: ann.id}))
	if l.Banned(ann.id, "", start) != nil {
		t.Error("an operator is kept out")
	}
	until := start.Add(time.Minute)
	merge(t, l, nil, ann.says(Statement{Topic: Ban, On: true, Subject: eve.id, Until: until.Unix()}))
	if l.Banned(eve.id, "", start) == nil || l.Banned(eve.id, "", until) != nil {
		t.Error("a ban for a minute")
	}
	merge(t, l, nil, ann.says(Statement{Topic: Ban, On: true, Name: "Rude"}), root.ban(eve, true))
	if l.Banned(id.ID{7}, "rUDE", start) == nil {
		t.Error("a ban by name")
	}
	merge(t, l, nil, ann.ban(eve, false))
	if l.Banned(eve.id, "", start) != nil {
		t.Error("a later word of another operator ends a ban")
	}
	// What has ended goes.
	n := len(l.All())
	l.Merge([]*Statement{root.says(Statement{Topic: Whitelist, On: true})}, until.Add(25*time.Hour))
	if len(l.All()) != n+1 || !l.Closed() { // eve's ban for a minute was replaced by its undoing
		t.Errorf("%d statements", len(l.All()))
	}
	merge(t, l, nil, ann.says(Statement{Topic: Ban, On: true, Subject: id.ID{9}, Until: until.Unix()}))
	n = len(l.All())
	l.Merge([]*Statement{root.says(Statement{Topic: Whitelist})}, until.Add(25*time.Hour))
	if len(l.All()) != n-1 || l.Closed() {
		t.Errorf("%d statements, want one less than %d", len(l.All()), n)
	}
}

// TestAnyOrder: nodes that get the same statements in other orders and pieces
// have the same state, whatever operators have said.
func TestAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	people := []*person{someone("root")}
	for _, n := range []string{"a", "b", "c", "d", "e", "f"} {
		people = append(people, someone(n))
	}
	for range 60 {
		var said []*Statement
		for range 40 {
			by, who := people[r.IntN(4)], people[1+r.IntN(len(people)-1)]
			if r.IntN(2) == 0 {
				by = people[0]
			}
			switch r.IntN(5) {
			case 0, 1:
				said = append(said, by.op(who))
			case 2:
				said = append(said, by.deop(who, r.IntN(2) == 0))
			default:
				said = append(said, by.ban(who, r.IntN(2) == 0))
			}
		}
		logs := make([]*Log, 5)
		for i := range logs {
			logs[i] = New(testWorld, people[0].public())
			r.Shuffle(len(said), func(i, j int) { said[i], said[j] = said[j], said[i] })
			for rest := said; len(rest) > 0; {
				n := 1 + r.IntN(len(rest))
				logs[i].Merge(rest[:n], start.Add(time.Hour))
				rest = rest[n:]
			}
		}
		// What came too early was left out: nodes that meet give each other what they have.
		for range len(people) {
			for i := range logs {
				for j := range logs {
					logs[i].Merge(logs[j].All(), start.Add(time.Hour))
				}
			}
		}
		for _, l := range logs[1:] {
			if l.Digest() != logs[0].Digest() {
				t.Fatal("the logs differ")
			}
			if !bytes.Equal(state(l, people), state(logs[0], people)) {
				t.Fatal("the states differ")
			}
		}
	}
}

func state(l *Log, people []*person) (out []byte) {
	for _, p := range people {
		out = append(out, byte(l.Rank(p.id)))
		if l.Banned(p.id, "", start) != nil {
			out = append(out, 'x')
		}
	}
	return out
}

// TestBounds: an operator cannot fill the log for the others.
func TestBounds(t *testing.T) {
	root, eve := someone("root"), someone("eve")
	l := New(testWorld, root.public())
	merge(t, l, nil, root.op(eve))
	var list []*Statement
	for i := range perIssuer + 1 {
		list = append(list, eve.says(Statement{Topic: Ban, On: true, Subject: id.ID{1, byte(i), byte(i >> 8)}}))
	}
	merge(t, l, ErrFull, list...)
	if n := len(l.All()); n != perIssuer+1 {
		t.Fatalf("%d statements", n)
	}
	merge(t, l, nil, root.deop(eve, false))
	if n := len(l.All()); n != 1 {
		t.Fatalf("%d statements are left of a former operator", n)
	}
}

func TestEncoding(t *testing.T) {
	s := someone("ann").says(Statement{Topic: Ban, On: true, Subject: id.ID{1}, Until: 77, Name: "Zoë", Text: "rude"})
	b := s.Append(nil)
	got, err := Decode(b)
	if err != nil || *got != *s || got.verify() != nil {
		t.Fatalf("%+v %v", got, err)
	}
	for n := range b {
		if _, err := Decode(b[:n]); err == nil {
			t.Fatalf("%d bytes are taken for a statement", n)
		}
		bad := bytes.Clone(b)
		bad[n] ^= 4
		if got, err := Decode(bad); err == nil && got.verify() == nil {
			t.Fatalf("byte %d can be changed", n)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(someone("ann").says(Statement{Topic: Ban, On: true, Subject: id.ID{1}, Until: 77, Name: "Zoë", Text: "rude"}).Append(nil))
	f.Add(someone("ann").deop(someone("bo"), true).Append(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := Decode(b)
		if err != nil {
			return
		}
		if !bytes.Equal(s.Append(nil), b) || len(b) > MaxSize {
			t.Fatal("another encoding")
		}
		New(testWorld, someone("ann").public()).Merge([]*Statement{s}, start)
	})
}
