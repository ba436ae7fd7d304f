package lobby

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// dormitory is who is here, with a clock.
type dormitory struct {
	machine.Env
	now   machine.Time
	here  []*player
	said  []string
	asked []*player
	take  func(signed []byte)
}

func (d *dormitory) Now() machine.Time           { return d.now }
func (d *dormitory) present() []*player          { return d.here }
func (d *dormitory) keepDecisions(func(error))   {}
func (d *dormitory) toPlayers(m machine.Message) { d.said = append(d.said, m.(*Chat).Text) }
func (d *dormitory) ask(p *player, _ []byte, take func([]byte)) {
	d.asked, d.take = append(d.asked, p), take
}

// TestSleepersAreAskedInTurn: when all have slept for long enough one of them is asked to
// sign, and if that one does not the next. Who has got up does not count, nor does a region
// for players of another.
func TestSleepersAreAskedInTurn(t *testing.T) {
	d := &dormitory{now: machine.Time(time.Hour)}
	for i := range 3 {
		d.here = append(d.here, &player{id: id.ID{byte(i + 1)}, region: world.RegionPos{X: int32(i / 2)}})
	}
	cfg := Config{Decisions: decision.New(id.ID{}, [32]byte{})}
	r := nights{env: d, cfg: &cfg, hall: d}
	asleep := func(who ...*player) {
		for x := range int32(2) {
			m := &Sleeping{Region: world.RegionPos{X: x}}
			for _, p := range who {
				m.Players = append(m.Players, p.id)
			}
			r.sleep(m)
		}
		d.now = d.now.Add(time.Second)
	}
	for range 10 {
		asleep(d.here[0], d.here[2])
	}
	if len(d.asked) != 0 || len(d.said) == 0 {
		t.Fatalf("asked %d times while one is up; all hear %q", len(d.asked), d.said)
	}
	for range 2*int(nightsRest/time.Second) + 2 {
		asleep(d.here...)
	}
	if len(d.asked) != 2 || d.asked[0] == d.asked[1] {
		t.Fatalf("asked %v", d.asked)
	}
	d.take([]byte("no statement"))
	if r.until != 0 {
		t.Error("what is no statement ends the night")
	}
	asleep()
	if r.since != 0 || r.asked != 0 {
		t.Error("the count goes on though all got up")
	}
}
