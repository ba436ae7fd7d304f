package storage_test

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// cornerLiar says what is true, but in a corner of the world: there it says what all
// other liars say.
type cornerLiar struct {
	spy
	bed    *bed
	corner geom.Rect
	lies   map[int64]*state.Snapshot
}

func (c *cornerLiar) Answer(n *storage.Node, _ *overlay.Contact, q *messages.Retrieve, honest *messages.Result) *messages.Result {
	if q.Kind != messages.ForUpdate || honest.Seen == nil || q.Of == 0 || c.bed.truth[q.Of] == nil {
		return honest
	}
	if c.lies[q.Of] == nil {
		c.lies[q.Of] = c.lie(q.Of)
	}
	bad, seen := *honest, *c.lies[q.Of]
	seen.Cover, seen.Activated, seen.Whole = overlay.Area{Circle: n.Circle()}, honest.Seen.Activated, true
	bad.Seen = &seen
	return bad.Seal(n.World())
}

// lie is the world with moods that nobody has.
func (c *cornerLiar) lie(of int64) *state.Snapshot {
	var all []*state.Object
	for _, o := range c.bed.truth[of] {
		if !o.Static && in(c.corner, o.Pos) {
			b := o.State.(being)
			b.mood = rng.Hash(b.mood, 13)
			o = c.bed.toy.object(o.ID, o.Pos, o.Player, false, b)
		}
		if !o.Static {
			all = append(all, o)
		}
	}
	return state.NewSnapshot(of, all, c.bed.toy.World())
}

// If who keeps a place in two of four zones lies about it, no majority knows what is there,
// and honest nodes can only guess, those of the liars' zones too. But they do not take the liars' version
// for likely, so that their guesses never make a majority of it.
func TestHalfOfTheZonesCannotLieAboutAPlace(t *testing.T) {
	const end = 8
	for _, seed := range []uint64{1, 6} { // with others fewer cells are contested
		b := newBed(t, seed, 4, 80, 2*time.Minute)
		b.protocol = storage.ProtocolHardened
		liar := &cornerLiar{bed: b, corner: geom.Rect{Max: geom.Point{X: 60_000, Y: 60_000}}, lies: map[int64]*state.Snapshot{}}
		lies := b.keepers(geom.Point{}, 80, 2, 3)
		b.behave = func(n int) storage.Behaviour {
			if lies[b.nodes[n]] {
				return liar
			}
			return nil
		}
		unsure, guessed, wrongGuesses := 0, 0, 0
		for of := int64(1); of <= end; of++ {
			b.until(b.update(of).Add(1))
			b.replay(of)
			b.until(b.update(of).Add(3*storage.DefaultLMax + time.Second))
			for _, m := range b.live() {
				s := m.node().State()
				if lies[m] || s == nil || s.Of != of {
					continue
				}
				known, wrong := b.count(s)
				all, wrongAll := b.count(s.WithTentative())
				if wrong > 0 {
					t.Fatalf("seed %d: an honest node holds %d wrong objects at t_%d", seed, wrong, of)
				}
				unsure, guessed, wrongGuesses = unsure+s.UnsureCells(), guessed+all-known, wrongGuesses+wrongAll
			}
		}
		t.Logf("seed %d: %d unsure cells, %d of %d guesses are wrong", seed, unsure, wrongGuesses, guessed)
		if guessed == 0 || 100*wrongGuesses > guessed {
			t.Errorf("seed %d: %d of %d guesses are wrong", seed, wrongGuesses, guessed)
		}
	}
}

// keepers are the nodes of each of some zones, of the first so many, that stand nearest to
// a place.
func (b *bed) keepers(at geom.Point, nodes int, zones ...int) map[*member]bool {
	out := map[*member]bool{}
	places := state.NewMapping(b.space, b.toy.World())
	for _, zone := range zones {
		var best *member
		key := places.Key(at, zone)
		for _, m := range b.nodes[:nodes] {
			if b.space.Zone(m.self.Pos) == zone && (best == nil || geom.Closer(key, m.self.Pos, best.self.Pos)) {
				best = m
			}
		}
		out[best] = true
	}
	return out
}

// count counts the objects of a snapshot, and those that are not as they are.
func (b *bed) count(s *state.Snapshot) (all, wrong int) {
	truth := map[state.ObjectID]state.Digest{}
	for _, o := range b.truth[s.Of] {
		truth[o.ID] = o.Digest
	}
	for _, o := range s.Objects(&s.Cover, b.toy.World(), nil) {
		all++
		wrong += state.Indicator(truth[o.ID] != o.Digest)
	}
	return all, wrong
}
