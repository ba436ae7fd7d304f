package regionlog

import (
	"crypto/ed25519"
	"crypto/sha256"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// visitor is a player of the lobby.
type visitor struct {
	key  ed25519.PrivateKey
	id   id.ID
	name string
}

func newVisitor(name string) *visitor {
	seed := sha256.Sum256([]byte(name))
	v := &visitor{key: ed25519.NewKeyFromSeed(seed[:]), name: name}
	v.id = id.Of(v.key.Public().(ed25519.PublicKey))
	return v
}

// pass is the visitor's for a name.
func (v *visitor) pass(name string) *identity.Pass {
	p := &identity.Pass{Key: [32]byte(v.key.Public().(ed25519.PublicKey))}
	p.Sig = [64]byte(ed25519.Sign(v.key, identity.PassText(p.Nonce, testWorld, p.Audience, name)))
	return p
}

// lobbyPlay is a register whose log is recorded.
type lobbyPlay struct {
	g    *Register
	now  int64
	outs []*Output
}

const lobbyStart = 1_600_000_000

func newLobbyPlay() *lobbyPlay {
	w := &lobbyPlay{g: NewRegister(testWorld, true), now: lobbyStart}
	w.g.Record(signing, func(o *Output) { w.outs = append(w.outs, o) })
	w.second()
	return w
}

func (w *lobbyPlay) second() {
	w.now++
	w.g.Second(machine.Time(w.now * 1e9))
}

func (w *lobbyPlay) enters(v *visitor) {
	if w.g.Claim(w.now, v.id, v.name, v.pass(v.name)) {
		w.g.Admit(w.now, v.id)
	}
}

// replayed is the proof that a follower finds; nil: none.
func (w *lobbyPlay) replayed(t *testing.T) (proof *Proof) {
	t.Helper()
	r, err := NewReplayer(w.outs[0].Checkpoint, w.outs[0].State)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range w.outs[1:] {
		if proof, err = r.Entry(o.Entry, o.Checkpoint); proof != nil || err != nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return proof
}

// TestRegisterLies: a host of the lobby that gives a name to the wrong player is convicted by
// its own log, in plain words, by anybody who reads the evidence.
func TestRegisterLies(t *testing.T) {
	ann, bo, eve := newVisitor("Ann"), newVisitor("Bo"), newVisitor("Eve")
	for name, lie := range map[string]struct {
		tell func(w *lobbyPlay)
		want string // empty: it is no lie
	}{
		"is honest":                   {func(w *lobbyPlay) { w.enters(bo); w.g.Gone(w.now, ann.id) }, ""},
		"binds a name to another":     {func(w *lobbyPlay) { w.g.Give(w.now, eve.id, "Ann", eve.pass("Ann")) }, `the name "Ann" was given to player ` + eve.id.String() + ", although it is player " + ann.id.String() + "'s"},
		"binds one that looks so":     {func(w *lobbyPlay) { w.g.Give(w.now, eve.id, "Аnn", eve.pass("Аnn")) }, "looks like another player's"},
		"binds what nobody signed":    {func(w *lobbyPlay) { w.g.Give(w.now, eve.id, "Mo", eve.pass("Moe")) }, `the name "Mo" was given to player ` + eve.id.String() + ", who has not signed it"},
		"binds in another's name":     {func(w *lobbyPlay) { w.g.Give(w.now, bo.id, "Mo", eve.pass("Mo")) }, "who has not signed it"},
		"gives a reserved name":       {func(w *lobbyPlay) { w.g.Give(w.now, eve.id, "server", eve.pass("server")) }, "reserved"},
		"frees a name that is used":   {func(w *lobbyPlay) { w.g.Gone(w.now, ann.id); w.g.Take(w.now, ann.id, false) }, `the name "Ann" was taken from player ` + ann.id.String() + ", who has used it"},
		"frees a name of who is here": {func(w *lobbyPlay) { w.g.Take(w.now, ann.id, true) }, `the name "Ann" was taken`},
		"renames behind its log":      {func(w *lobbyPlay) { w.g.holder(ann.id).name = "Eva"; w.g.changed(ann.id) }, `"Ann" is player ` + ann.id.Short()},
		"removes somebody":            {func(w *lobbyPlay) { w.g.changed(ann.id); delete(w.g.of[bucketOf(ann.id)], ann.id) }, `"Ann" is player `},
		"admits who has not come":     {func(w *lobbyPlay) { w.g.rec.event(evAdmit); w.g.rec.raw(bo.id[:]) }, "whom nobody knows"},
	} {
		w := newLobbyPlay()
		w.enters(ann)
		w.second()
		w.now += PlayedEnough
		w.second()
		lie.tell(w)
		w.second()
		w.second()
		p := w.replayed(t)
		if lie.want == "" {
			if p != nil {
				t.Errorf("who %s is convicted", name)
			}
			continue
		}
		if p == nil {
			t.Errorf("who %s is not convicted", name)
			continue
		}
		b := AppendEvidence(nil, p)
		e, err := DecodeEvidence(b)
		if err != nil {
			t.Fatal(err)
		}
		found, err := e.Check()
		if err != nil || !strings.Contains(found.String(), lie.want) {
			t.Errorf("who %s: %v, %v", name, found, err)
		}
		if c, err := SignedBy(b); err != nil || !c.Lobby || c.By() != id.Of(signing.Key[:]) {
			t.Errorf("who %s: %+v, %v", name, c, err)
		}
	}
}

// TestRegisterNoProof: what a host has not signed, or signed about something else, convicts
// nobody.
func TestRegisterNoProof(t *testing.T) {
	ann, eve := newVisitor("Ann"), newVisitor("Eve")
	w := newLobbyPlay()
	w.enters(ann)
	w.second()
	w.g.Give(w.now, eve.id, "Ann", eve.pass("Ann"))
	w.second()
	good := w.replayed(t)
	if found, err := good.Check(); err != nil || found == nil {
		t.Fatalf("%v, %v", found, err)
	}
	for name, change := range map[string]func(p *Proof){
		"a region's checkpoint":   func(p *Proof) { to := *p.To; to.Lobby = false; p.To = &to },
		"of another world":        func(p *Proof) { to := *p.To; to.World[0]++; p.To = &to },
		"another state":           func(p *Proof) { p.State = newLobbyPlay().outs[0].State },
		"an entry is left out":    func(p *Proof) { p.Entries = p.Entries[1:] },
		"an entry was changed":    func(p *Proof) { p.Entries = [][]byte{append([]byte{}, p.Entries[0][:len(p.Entries[0])-1]...)} },
		"nothing lies in between": func(p *Proof) { p.To = p.From },
	} {
		p := *good
		if change(&p); true {
			if found, err := p.Check(); err == nil {
				t.Errorf("%s: %v", name, found)
			}
		}
	}
}

// TestRegisterState: a state is written and read as it is.
func TestRegisterState(t *testing.T) {
	w := newLobbyPlay()
	w.enters(newVisitor("Ann"))
	bo := newVisitor("Bo")
	w.enters(bo)
	w.g.Gone(w.now, bo.id)
	w.g.Claim(w.now, bo.id, "Bob", bo.pass("Bob"))
	s := w.g.state(true)
	g, err := loadRegister(testWorld, s.Append(nil))
	if err != nil {
		t.Fatal(err)
	}
	if g.state(false).Hashes != s.Hashes || g.Unclaim(w.now, bo.id) != "Bo" {
		t.Error("another register was read")
	}
	if owner, _ := g.Owner("BO"); owner != bo.id || g.Len() != 2 {
		t.Errorf("Bo is %s", owner)
	}
}

// FuzzRegister: neither a state nor an entry makes a follower of the lobby fail; a state that
// is taken is written as it was.
func FuzzRegister(f *testing.F) {
	w := newLobbyPlay()
	w.enters(newVisitor("Ann"))
	w.second()
	w.g.Gone(w.now, newVisitor("Ann").id)
	w.second()
	for _, o := range w.outs {
		f.Add(w.g.state(true).Append(nil), o.Entry)
	}
	f.Fuzz(func(t *testing.T, state, entry []byte) {
		g, err := loadRegister(testWorld, state)
		if err != nil {
			return
		}
		before := g.state(true)
		again, err := loadRegister(testWorld, before.Append(nil))
		if err != nil || again.state(false).Hashes != before.Hashes {
			t.Fatalf("another register was read: %v", err)
		}
		_ = g.apply(entry) // whatever it says
		g.state(true)
	})
}
