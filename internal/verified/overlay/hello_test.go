package overlay_test

import (
	"errors"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// verify is the port of these tests: certificates with the serial 666 are
// forged.
func verify(_ id.ID, c *identity.Certificate) machine.Job { return check{c} }

type check struct{ c *identity.Certificate }

var errForged = errors.New("forged")

func (c check) Run() (any, error) {
	if c.c.Serial == 666 {
		return nil, errForged
	}
	return nil, nil
}

// TestCertificates: 4.2.2, nodes verify each other's places; who has no good
// certificate, or stands where it was not put, is nobody's neighbour.
func TestCertificates(t *testing.T) {
	for seed := range seeds(t) {
		b := newBed(t, seed, 4)
		b.verified = true
		grow(b, 40)
		forger, mover := b.add(), b.add()
		forger.cert.Serial = 666
		mover.self.Pos = geom.Point{X: b.all[7].self.Pos.X + 1, Y: b.all[7].self.Pos.Y + 1}
		forger.live, mover.live = false, false
		b.sim.Run(time.Minute)
		b.exact("with two cheaters", time.Minute)
		if n := forger.node().Links(); n > 0 {
			t.Fatalf("seed %d: the forger has %d links", seed, n)
		}
		b.stop(b.all[3])
		b.crash(b.all[5])
		b.exact("after departures", time.Minute)
	}
}
