package storagelab

import (
	"maps"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// siegeVerdict is what a run is judged by besides the objects that were tampered with.
type siegeVerdict struct {
	// Stuck are objects that for more than two updates most honest nodes that hold them
	// held otherwise than they are, or no honest node held: the most after any update.
	Stuck int
	// Signed are the actions that honest players have signed in time, Ineffective those
	// of them that most honest nodes that replay them do not know.
	Signed, Ineffective int
	// Unsigned are the actions of honest players that their own nodes have not signed: they
	// are without effect, too, but by no attacker's doing.
	Unsigned int
	// Doubtful are updates after which half of the honest nodes were unsure about more
	// than a hundredth of the cells that they hold.
	Doubtful int
}

// add puts what another run has shown to what was shown before.
func (v *siegeVerdict) add(o siegeVerdict) {
	v.Stuck = max(v.Stuck, o.Stuck)
	v.Signed, v.Ineffective, v.Unsigned = v.Signed+o.Signed, v.Ineffective+o.Ineffective, v.Unsigned+o.Unsigned
	v.Doubtful += o.Doubtful
}

// fails reports whether a run fails.
func (r *siegeResult) fails() bool {
	return r.harmed() || (r.Ineffective+r.Unsigned)*maxIneffective > r.Signed
}

// harmed reports whether a run fails whatever comes; which share of the actions is without
// effect is only known when it is over.
func (r *siegeResult) harmed() bool { return r.First > 0 || r.Stuck > 0 || r.Doubtful > 0 }

// maxIneffective: of so many actions one may be without effect.
const maxIneffective = 1000

// siegeJudge looks at honest nodes after each update.
type siegeJudge struct {
	siegeVerdict
	amiss   map[state.ObjectID]int          // for how many updates an object is not as it should be
	effects map[int64]map[id.ID]*heardRight // of players' actions, by update
}

// heardRight is how many honest nodes have asked for a player's actions, and how many of
// them have found what it has signed.
type heardRight struct{ asked, right int }

func newSiegeJudge() siegeJudge {
	return siegeJudge{amiss: map[state.ObjectID]int{}, effects: map[int64]map[id.ID]*heardRight{}}
}

// hear notes what an honest node has found.
func (j *siegeJudge) hear(r *storage.Report, truth *storageTruth) {
	if r.Kind != messages.ForActions {
		return
	}
	if j.effects[r.Of] == nil {
		j.effects[r.Of] = map[id.ID]*heardRight{}
	}
	e := j.effects[r.Of][r.Player.ID]
	if e == nil {
		e = &heardRight{}
		j.effects[r.Of][r.Player.ID] = e
	}
	e.asked++
	e.right += lab.Indicator(truth.right(r))
}

// inspect judges an update that everybody has made who can.
func (j *siegeJudge) inspect(s *siege, of int64) {
	j.countEffects(s, of)
	j.countDoubts(s)
	amiss := map[state.ObjectID]int{}
	stuck := 0
	for _, what := range s.objectsAmiss(of) {
		amiss[what] = j.amiss[what] + 1
		stuck += lab.Indicator(amiss[what] > 2)
	}
	j.amiss = amiss
	j.Stuck = max(j.Stuck, stuck)
}

// countEffects compares what honest players have signed with what honest nodes have
// replayed. An action that nobody has asked for took effect nowhere.
func (j *siegeJudge) countEffects(s *siege, of int64) {
	for p, acts := range s.truth.acts[of] {
		if s.gang.Has(p.ID) {
			continue
		}
		unsigned := s.taint.Unsigned(p, s.update(of-1), s.update(of))
		j.Unsigned += unsigned
		j.Signed += len(acts) - unsigned
		if e := j.effects[of][p.ID]; e == nil || 2*e.right <= e.asked {
			j.Ineffective += len(acts) - unsigned
		}
	}
	delete(j.effects, of)
}

func (j *siegeJudge) countDoubts(s *siege) {
	honest, doubting := 0, 0
	for _, node := range s.live() {
		if s.gang.Has(node.self.ID) {
			continue
		}
		honest++
		if state := node.machine().State(); state != nil {
			held := 0
			for _, c := range state.Cells {
				held += lab.Indicator(c != nil)
			}
			doubting += lab.Indicator(100*state.UnsureCells() > held)
		}
	}
	j.Doubtful += lab.Indicator(2*doubting >= honest && honest > 0)
}

// holders are the honest nodes that hold an object, by the version that they hold.
type holders struct {
	all   int
	these map[state.Digest]int
}

// held names an object, and whether it moves or lies there.
type held struct {
	what   state.ObjectID
	static bool
}

// holdings are all objects that honest nodes hold, moving ones of an update.
func (s *siege) holdings(of int64) map[held]*holders {
	out := map[held]*holders{}
	count := func(o *state.Object) {
		k := held{o.ID, o.Static}
		h := out[k]
		if h == nil {
			h = &holders{these: map[state.Digest]int{}}
			out[k] = h
		}
		h.all++
		h.these[o.Digest]++
	}
	for _, node := range s.live() {
		if s.gang.Has(node.self.ID) {
			continue
		}
		for _, o := range node.machine().Static() {
			count(o)
		}
		if snap := node.machine().State(); snap != nil && snap.Of == of {
			for _, o := range snap.Objects(&snap.Cover, s.rules.World(), nil) {
				count(o)
			}
		}
	}
	return out
}

// objectsAmiss are the objects that most of the honest nodes that hold them do not hold as
// they are, or that nobody honest holds, also of characters that are asleep. With chosen
// the votes alone decide what counts of what members' players have done: objects are amiss
// of which most honest nodes do not hold the same. The characters of these players are not
// looked at: what they have done is split anew in each interval. Nor are those of members
// that come and go: whether they are woken, their own nodes decide, whose neighbours lie.
func (s *siege) objectsAmiss(of int64) (out []state.ObjectID) {
	all := s.holdings(of)
	chosen := s.gang.Ways().Chosen
	for _, o := range s.truth.objects {
		if (chosen || s.settings.Coming) && o.Player != nil && s.gang.Has(o.Player.ID) {
			continue
		}
		h := all[held{o.ID, o.Static}]
		if h == nil {
			out = append(out, o.ID)
			continue
		}
		agreed := h.these[o.Digest]
		if chosen {
			agreed = slices.Max(slices.Collect(maps.Values(h.these)))
		}
		if 2*agreed <= h.all {
			out = append(out, o.ID)
		}
	}
	return out
}
