package lobby

import (
	"crypto/ed25519"
	"fmt"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
)

// passFor is the pass of a player who has typed a name.
func passFor(key, name string) *identity.Pass {
	p := &identity.Pass{Key: [32]byte(keyOf(key).Public().(ed25519.PublicKey)), Nonce: [32]byte{1}}
	p.Sig = [64]byte(ed25519.Sign(keyOf(key), identity.PassText(p.Nonce, stageWorld, p.Audience, name)))
	return p
}

// follow replays a lobby's register as a member of its group does.
type follow struct {
	t           *testing.T
	r           *regionlog.Replayer
	entries     int
	bytes       int
	checkpoints int
}

var hostKey = keyOf("the lobby's host")

// record lets a follower replay the register of a stage's lobby.
func (f *follow) record(s *stage) {
	s.h.register.Record(&regionlog.Signing{
		World: stageWorld, Key: [32]byte(hostKey.Public().(ed25519.PublicKey)),
		Sign: func(b []byte) [64]byte { return [64]byte(ed25519.Sign(hostKey, b)) },
	}, func(o *regionlog.Output) { f.take(o) })
}

func (f *follow) take(o *regionlog.Output) {
	f.t.Helper()
	var err error
	if o.Number > 0 && f.r != nil {
		f.entries++
		f.bytes += len(o.Entry) + len(o.Checkpoint.AppendAfter(nil, &f.r.Last().Hashes))
		var proof *regionlog.Proof
		if proof, err = f.r.Entry(o.Entry, o.Checkpoint); proof != nil {
			found, err := proof.Check()
			f.t.Fatalf("an honest host is convicted: %v, %v", found, err)
		}
	}
	if o.State != nil && err == nil {
		f.checkpoints++
		f.r, err = regionlog.NewReplayer(o.Checkpoint, o.State)
	}
	if err != nil {
		f.t.Fatalf("entry %d cannot be followed: %v", o.Number, err)
	}
}

// second lets a second pass.
func (s *stage) second() {
	s.wait(time.Second)
	s.h.register.Second(s.now)
}

// TestLongHonestLobby: whatever players, the disk and the clock do, an honest lobby logs what
// leads to the register that it signs.
func TestLongHonestLobby(t *testing.T) {
	simtest.Long(t)
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { r := rng.New(seed); honestLobby(t, &r, 3000) })
	}
}

// TestHonestLobby is a short run of TestLongHonestLobby.
func TestHonestLobby(t *testing.T) {
	r := rng.New(99)
	honestLobby(t, &r, 400)
}

func honestLobby(t *testing.T, r *rng.Rand, steps int) {
	s := newStage()
	s.quiet = true
	f := &follow{t: t}
	begin := func() {
		s.h.cfg.Passes, s.h.cfg.MaxPlayers = true, 1000
		s.h.register = regionlog.NewRegister(stageWorld, true)
		for _, who := range id.Sorted(s.h.players) {
			rec := s.h.players[who].rec
			s.h.register.Put(who, rec.Name, rec.Seen, rec.Played)
		}
		f.r = nil
		f.record(s)
	}
	begin()
	who := func() (string, string) {
		key := fmt.Sprint("p", r.Intn(40))
		names := []string{"Ann", "ann", "Bo", "B0", "Eve", "Zoë", "server", "ѕerver", "Lu" + key, "Ma" + key, "x\u202e", "раура", ""}
		return key, names[r.Intn(len(names))]
	}
	flood := 0
	for range steps {
		key, name := who()
		at := session(key)
		switch r.Intn(16) {
		case 0, 1, 2, 3:
			s.h.OnMessage(at, &Enter{Player: playerOf(key), Name: name, Pass: passFor(key, name)})
		case 4:
			s.h.OnMessage(session(key+" too"), &Enter{Player: playerOf(key), Name: name, Pass: passFor(key, name)})
		case 5:
			s.h.OnMessage(at, &Enter{Player: playerOf(key), Name: name, Pass: passFor("eve", name)})
		case 6, 7:
			s.h.OnMessage(at, &Leave{})
		case 8:
			s.h.OnLink(session(key+" too"), machine.LinkFailed)
		case 9:
			s.act([]string{"disk full", "disk empty", "disk slow", "disk go"}[r.Intn(4)])
		case 10:
			s.now += machine.Time(r.Intn(2 * int(24*time.Hour)))
		case 11:
			s.now -= machine.Time(r.Intn(int(time.Hour)))
		case 12:
			s.h.register.GiveState() // another member begins to follow
		case 13:
			for range r.Intn(20) {
				flood++
				new := fmt.Sprint("n", flood)
				s.h.OnMessage(session(new), &Enter{Player: playerOf(new), Name: new, Pass: passFor(new, new)})
				s.h.OnMessage(session(new), &Leave{})
			}
		case 14:
			if r.Intn(20) == 0 {
				s.slow, s.full = false, false
				s.start()
				begin()
			}
		default:
			s.now += machine.Time(r.Intn(int(10 * time.Minute)))
		}
		if r.Intn(3) == 0 {
			s.second()
		}
	}
	s.second()
	if f.entries < steps/10 || f.checkpoints == 0 {
		t.Errorf("%d entries and %d states were followed", f.entries, f.checkpoints)
	}
	for _, x := range f.r.Register().Present() {
		if p := s.h.players[x.Player]; p == nil || !p.here || p.rec.Name != x.Name {
			t.Errorf("the follower has %s as %q", x.Player.Short(), x.Name)
		}
	}
	if n := len(f.r.Register().Present()); n != len(s.h.here) {
		t.Errorf("the follower knows %d players, the lobby %d", n, len(s.h.here))
	}
}

// TestLobbyLogBytes: the log of a lobby with 1000 players, of whom six come or leave each
// second, is small.
func TestLobbyLogBytes(t *testing.T) {
	s := newStage()
	s.quiet = true
	s.h.cfg.Passes, s.h.cfg.MaxPlayers = true, 1000
	s.h.register = regionlog.NewRegister(stageWorld, true)
	f := &follow{t: t}
	f.record(s)
	enter := func(i int) {
		key := fmt.Sprint("k", i)
		s.h.OnMessage(session(key), &Enter{Player: playerOf(key), Name: key, Pass: passFor(key, key)})
	}
	for i := range 1000 {
		enter(i)
	}
	s.second()
	s.second()
	before, began := f.bytes, time.Now()
	const seconds = 20
	for i := range seconds * 3 {
		s.h.OnMessage(session(fmt.Sprint("k", i)), &Leave{})
		enter(i)
		if i%3 == 2 {
			s.second()
		}
	}
	each := (f.bytes - before) / seconds
	t.Logf("%d bytes a second before they are deflated; lobby, signature and replay take %v a second", each, time.Since(began)/seconds)
	if each > 4000 {
		t.Errorf("%d bytes a second", each)
	}
}
