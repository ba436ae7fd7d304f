package nodelab

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/core/slowtest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/labtest"
)

// The crowd of an experiment is this program, started again.
func TestMain(m *testing.M) {
	lab.Child(Children)
	os.Exit(m.Run())
}

func TestRegionLoadMeasures(t *testing.T) {
	r, report := labtest.RunProcesses(t, RegionLoad, map[string]string{"seconds": "1", "stage": "1", "settle": "1", "step": "10", "most": "5"})
	for _, name := range []string{"one_chunk_cpu", "fifty_chunks_cpu", "ten_chunks_cpu", "ten_chunks_100_cpu"} {
		if r.Metric(name) <= 0 {
			t.Errorf("%s is %v", name, r.Metric(name))
		}
	}
	if r.Metric("max_players") < 0 || !strings.Contains(report, "4.3a") {
		t.Errorf("report:\n%s", report)
	}
}

func TestCrowdTellsWhyItCannotJoin(t *testing.T) {
	slowtest.Skip(t, "starts a crowd")
	c, err := startCrowd(context.Background(), crowdOrder{Addr: "127.0.0.1:1", Seed: 1, Homes: []world.Pos{{}}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	r, err := c.do(crowdOrder{Join: 2})
	if err != nil {
		t.Fatal(err)
	}
	if r.Players != 0 || r.Lost != 2 || r.Error == "" {
		t.Errorf("report %+v", r)
	}
}

// sentAway is a connection that ends once its world says so.
type sentAway struct{ why chan error }

func (s sentAway) Send([]byte) error     { return nil }
func (s sentAway) Recv() ([]byte, error) { return nil, <-s.why }
func (s sentAway) Close() error          { return nil }

// TestLoyalWalkers: who is told to come back later does, as who it was; others are
// lost, and so is who is told never to.
func TestLoyalWalkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		restart := wire.Restart.Refusal(3)
		conn := sentAway{make(chan error)}
		asked, names := 0, map[string]bool{}
		c := &crowd{loyal: true, order: crowdOrder{Homes: []world.Pos{{}}}}
		c.enter = func(_ context.Context, who client.Identity, _ int) (client.Conn, *wire.Welcome, error) {
			names[string(who.Key)] = true
			if asked++; asked == 1 {
				return nil, nil, restart
			}
			return conn, &wire.Welcome{}, nil
		}
		c.join(t.Context(), 1, 0)
		conn.why <- restart
		time.Sleep(4 * time.Second)
		if r := c.report(); asked != 3 || r.Players != 1 || r.Back != 2 || r.Lost > 0 || len(names) != 1 {
			t.Errorf("asked %d times as %d people: %+v", asked, len(names), r)
		}
		conn.why <- wire.Kicked.Refusal(0)
		synctest.Wait()
		if r := c.report(); r.Players > 0 || r.Lost != 1 || r.Back > 0 {
			t.Errorf("who was thrown out: %+v", r)
		}
		c.loyal = false
		c.join(t.Context(), 1, 0)
		conn.why <- restart
		synctest.Wait()
		if r := c.report(); r.Players > 0 || r.Lost != 1 || r.Back > 0 {
			t.Errorf("who does not come back: %+v", r)
		}
	})
}
