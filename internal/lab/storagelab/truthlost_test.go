package storagelab

import (
	"context"
	"strings"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

// withholder is an honest node whose deposit of one interval reaches nobody.
type withholder struct{ of int64 }

func (w withholder) Deposit(_ *storage.Node, b *state.Batch) bool { return b.Of != w.of }

func (withholder) Intercept(*storage.Node, machine.Peer, machine.Message) bool { return false }

func (withholder) Answer(_ *storage.Node, _ *overlay.Contact, _ *messages.Retrieve, m *messages.Result) *messages.Result {
	return m
}

func (withholder) AnswerActions(_ *storage.Node, _ *overlay.Contact, _ *messages.RetrieveActions, m *messages.ActionsResult) *messages.ActionsResult {
	return m
}

func (withholder) Keep(*storage.Node, *state.Action) bool { return true }

func (withholder) Push(_ *storage.Node, _ *overlay.Contact, m *messages.Push) *messages.Push {
	return m
}

// What is lost everywhere is missing in all zones alike: they agree with each other, and
// with a replay of what nodes were told. The replay of what was signed shows it.
func TestLongLostActionsAreNoticed(t *testing.T) {
	simtest.Long(t)
	for _, loses := range []bool{false, true} {
		o := storageRun{Nodes: 16, R: 4, Seed: 4, Updates: 6, Protocol: storage.ProtocolHardened, Still: true}
		n := newVoxelNet(o, voxelrules.Config{Seed: 4, Regions: 4, Columns: 16 * 16, Mobs: 4}, 2)
		if loses {
			n.behave = func(k int, _ *storageNode) storage.Behaviour {
				if k == 3 {
					return withholder{of: 4}
				}
				return nil
			}
		}
		if _, err := n.do(context.Background(), func() {}); err != nil {
			t.Fatal(err)
		}
		wrong, digests := 0, map[string]bool{}
		for _, z := range n.zones(6) {
			wrong += lab.Indicator(!z.right())
			digests[z.digest] = true
		}
		trial := &lab.Trial{Context: context.Background()}
		err := n.report(trial, 0, 0)
		switch {
		case n.count.Signed < 100:
			t.Errorf("only %d actions were signed", n.count.Signed)
		case loses && (len(digests) != 1 || wrong != 4 || n.count.Lost == 0 || err == nil || !strings.Contains(err.Error(), "took effect nowhere")):
			t.Errorf("with a lost batch: %d versions of the world in four zones, %d of them differ from the replay, %d actions lost, %v", len(digests), wrong, n.count.Lost, err)
		case !loses && (wrong > 0 || n.count.Lost > 0 || err != nil):
			t.Errorf("without one: %d zones differ, %d actions lost, %v", wrong, n.count.Lost, err)
		}
	}
}

// Only what a player signed in an interval and no node was told is lost, and only if the
// player is part of the world then.
func TestTruthLogCounts(t *testing.T) {
	l := NewTruthLog()
	in, out := &state.Player{ID: id.ID{1}}, &state.Player{ID: id.ID{2}}
	batch := func(p *state.Player, of int64, numbers ...uint64) *state.Batch {
		b := &state.Batch{Player: p, Of: of}
		for _, seq := range numbers {
			b.Actions = append(b.Actions, &state.Action{Player: p, Seq: seq, At: machine.Time(seq)})
		}
		return b
	}
	l.Sign(batch(in, 1, 1, 2))
	l.Sign(batch(in, 1, 2, 3)) // an action that was reported before
	l.Sign(batch(out, 1, 4))
	l.Sign(batch(in, 2, 5))
	l.Tell(batch(in, 1, 2))
	l.Tell(batch(in, 2, 3)) // as of another interval
	all, count := l.Take(1, func(who id.ID) bool { return who == in.ID })
	if len(all) != 4 || count != (TruthCount{Signed: 3, Lost: 2}) {
		t.Errorf("%d actions, %+v", len(all), count)
	}
	for i := 1; i < len(all); i++ {
		if all[i].Before(all[i-1]) {
			t.Error("they are not in order")
		}
	}
	if all, _ := l.Take(1, func(id.ID) bool { return true }); len(all) != 0 {
		t.Errorf("an interval that was taken still has %d actions", len(all))
	}
}
