package evidence

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// signing is how a host signs its log.
func signing(r *genesis.Record, host byte) *regionlog.Signing {
	return &regionlog.Signing{World: r.World(), Key: public(host), Sign: func(text []byte) [64]byte {
		return [64]byte(ed25519.Sign(key(host), text))
	}}
}

// proves replays a log; proof becomes what it proves first.
func proves(t *testing.T, proof **regionlog.Proof) func(*regionlog.Output) {
	var replayer *regionlog.Replayer
	return func(out *regionlog.Output) {
		var err error
		if replayer == nil {
			replayer, err = regionlog.NewReplayer(out.Checkpoint, out.State)
		} else if *proof == nil {
			*proof, err = replayer.Entry(out.Entry, out.Checkpoint)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// falseState is the proof against a host that has put gold into an empty region.
func falseState(t *testing.T, r *genesis.Record, host byte) *regionlog.Proof {
	a := regionlog.NewArea(world.AreaConfig{Seed: 7}, world.RegionPos{X: 2, Z: -1}, true)
	for i := range world.Columns {
		a.SetColumn(&world.Column{Pos: a.Pos().Column(i)})
	}
	var proof *regionlog.Proof
	a.Record(signing(r, host), proves(t, &proof))
	start := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for tick := range uint64(2 * regionlog.Every) {
		a.Tick(tick+1, nil)
		if tick == 5 {
			a.Area.Revert([]world.BlockChange{{At: world.Pos{X: 300, Y: 70, Z: -100}, Was: world.GoldOre}})
		}
		a.EndTick(machine.Time(start.Add(time.Duration(tick) * 50 * time.Millisecond).UnixNano()))
	}
	if proof == nil {
		t.Fatal("nothing is proven")
	}
	return proof
}

// TestFalseState: a line about a region's leader says who did what, where and when, is a
// proof for the authority, and is none against anybody else or in another world.
func TestFalseState(t *testing.T) {
	r := record(1)
	g := NewGround(r)
	line, err := g.FalseState(falseState(t, r, 3), time.Date(2026, 5, 4, 12, 0, 1, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	s, err := Explain(line)
	if err != nil || s.By != id.Of(key(3).Public().(ed25519.PublicKey)) || s.World != r.World() {
		t.Fatalf("%+v, %v", s, err)
	}
	for _, want := range []string{"region 2,-1", `"castle"`, "12:00:00 UTC", "the blocks at x 288 to 319, z -128 to -97", s.By.String()} {
		if !strings.Contains(s.Text, want) {
			t.Errorf("no %q in: %s", want, s.Text)
		}
	}
	t.Log(s.Text)
	if who, err := Proven(line, r.Genesis); err != nil || who != s.By {
		t.Errorf("%v, %v", who, err)
	}
	file := append(append([]byte("{}\n"), line...), '\n')
	if who, err := g.Convicted(bytes.NewReader(append(file, line...))); err != nil || len(who) != 1 {
		t.Errorf("convicted: %v, %v", who, err)
	} else if guilty, _ := regionlog.Accused(who[0]); guilty != s.By {
		t.Errorf("convicted: %v", guilty)
	}
	for name, change := range map[string]func(l *Line){
		"another node": func(l *Line) { l.By = id.Of([]byte("somebody else")) },
		"another world": func(l *Line) {
			other := record(1)
			other.Genesis.Zones = 8
			other.Sign(key(1))
			l.Record = hex.EncodeToString(other.Append(nil))
		},
		"a byte":  func(l *Line) { l.Proof[len(l.Proof)/2] ^= 1 },
		"cut off": func(l *Line) { l.Proof = l.Proof[:100] },
		"nothing": func(l *Line) { l.Proof = nil },
	} {
		var l Line
		if err := json.Unmarshal(bytes.Clone(line), &l); err != nil {
			t.Fatal(err)
		}
		change(&l)
		b, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		if s, err := Explain(b); !errors.Is(err, ErrNone) {
			t.Errorf("%s: %q, %v", name, s.Text, err)
		}
	}
}

// TestFalseNames: a line about the lobby's host says which name it gave to whom.
func TestFalseNames(t *testing.T) {
	r := record(1)
	g := NewGround(r)
	register := regionlog.NewRegister(r.World(), false)
	var proof *regionlog.Proof
	register.Record(signing(r, 3), proves(t, &proof))
	start := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	ann, eve := id.Of([]byte("ann")), id.Of([]byte("eve"))
	for i := range int64(3) {
		switch now := start.Unix() + i; i {
		case 1:
			register.Claim(now, ann, "Ann", nil)
			register.Admit(now, ann)
		case 2:
			register.Give(now, eve, "Ann", nil)
		}
		register.Second(machine.Time(start.Add(time.Duration(i) * time.Second).UnixNano()))
	}
	if proof == nil {
		t.Fatal("nothing is proven")
	}
	line, err := g.FalseState(proof, start)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Explain(line)
	if err != nil {
		t.Fatal(err)
	}
	liar := public(3)
	for _, want := range []string{id.Of(liar[:]).String(), "led the lobby of the world \"castle\"", `the name "Ann" was given to player ` + eve.String() + ", although it is player " + ann.String() + "'s", "2026-05-04 12:00:02 UTC"} {
		if !strings.Contains(s.Text, want) {
			t.Errorf("%q is missing in: %s", want, s.Text)
		}
	}
}
