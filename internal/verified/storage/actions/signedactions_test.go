package actions

import (
	"errors"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// asker is a node that asks for a player's actions, and what it may hear.
type asker struct {
	*bare
	t       *testing.T
	player  *state.Player
	faults  []*Fault
	answers answers
}

const askedOf = 3

func newAsker(t *testing.T) *asker {
	a := &asker{t: t, player: &state.Player{ID: id.ID{7}, Home: geom.Point{X: 450, Y: 300}}}
	a.bare = newBare(inTheMiddle(overlay.SpaceFor(4), true), part.Settings{
		CheckBatch:   func(b *state.Batch) bool { return string(b.Signature) == string(a.player.ID[:]) },
		CheckReceipt: func(r *messages.Receipt) bool { return string(r.Signature) == string(r.By.ID[:]) },
	}, Surroundings{
		Fault: func(f *Fault) { a.faults = append(a.faults, f) }, WillCompute: func(of int64) bool { return of <= 1 }, Hooks: &a.answers, Complete: func() {},
	})
	a.part.World, a.part.Cache = state.World{Side: 900, Cell: 100}, state.NewReplayCache()
	a.part.Time = state.Timing{LMax: 2 * time.Second, Deviates: 10 * time.Millisecond}
	a.part.Env = frozen{now: a.part.Time.Actions(askedOf).Add(1)}
	a.ask()
	return a
}

// ask begins to ask for the actions: all storers have been asked.
func (a *asker) ask() {
	ar := &a.Retrieval
	ar.of, ar.Asking, ar.open = askedOf, true, 2
	ar.keepStorers(nil)
	ar.asked = ar.actionQueries([]*state.Object{{Player: a.player}})
	ar.asked[0].wave = 3
}

// storer is who stands at one of the player's homes in a zone.
func (a *asker) storer(home, zone int) *overlay.Contact {
	key := a.part.Places.Key(a.area.Homes(a.player)[home], zone)
	return &overlay.Contact{ID: id.ID{1, byte(home), byte(zone)}, Pos: key}
}

// batch is one that the player has signed, with an action if seq is not 0.
func (a *asker) batch(seq uint64) *state.Batch {
	b := &state.Batch{Player: a.player, Of: askedOf}
	if seq > 0 {
		b.Actions = []*state.Action{{Player: a.player, Seq: seq, At: a.part.Time.Update(askedOf)}}
	}
	return b.Signed(a.player.ID[:])
}

func receiptOf(by *overlay.Contact, b *state.Batch) *messages.Receipt {
	return &messages.Receipt{By: by, Batch: b, First: true, Signature: by.ID[:]}
}

// certificate has receipts of the storers at the first home in some zones.
func (a *asker) certificate(b *state.Batch, zones ...int) *messages.Certificate {
	c := &messages.Certificate{Batch: b}
	for _, z := range zones {
		c.Receipts = append(c.Receipts, receiptOf(a.storer(0, z), b))
	}
	return c
}

// says is the answer of the storer at a home in a zone.
func (a *asker) says(home, zone int, b *state.Batch, c *messages.Certificate) {
	m := &messages.ActionsResult{Query: a.Retrieval.number(0, home, zone), Batch: b, Certificate: c}
	a.Retrieval.OnActionsResult(a.storer(home, zone), m)
}

func (a *asker) found() *Query { return &a.Retrieval.asked[0] }

// wants fails if another batch counts than one with the action seq, or none if that is
// 0; -1: the question is still open.
func (a *asker) wants(what string, seq int) {
	a.t.Helper()
	q := a.found()
	switch {
	case !q.done:
		if seq >= 0 {
			a.t.Errorf("%s: the question is still open", what)
		}
	case seq < 0:
		a.t.Errorf("%s: the question has ended", what)
	case q.Result == nil || len(q.Result.Actions) != state.Indicator(seq > 0) || seq > 0 && q.Result.Actions[0].Seq != uint64(seq):
		a.t.Errorf("%s: %+v counts", what, q.Result)
	}
}

// One certified batch ends the question; what is not signed by the player, or not
// certified by those who can be responsible, does not.
func TestOnlySignedBatchesAreCertified(t *testing.T) {
	honest := newAsker(t)
	for _, c := range []struct {
		name string
		say  func(a *asker, b *state.Batch) (*state.Batch, *messages.Certificate)
		want int
	}{
		{"three of four", func(a *asker, b *state.Batch) (*state.Batch, *messages.Certificate) {
			return b, a.certificate(b, 0, 1, 2)
		}, 1},
		{"nothing, signed", func(a *asker, _ *state.Batch) (*state.Batch, *messages.Certificate) {
			b := a.batch(0)
			return b, a.certificate(b, 0, 1, 2)
		}, 0},
		{"two of four", func(a *asker, b *state.Batch) (*state.Batch, *messages.Certificate) { return b, a.certificate(b, 0, 1) }, -1},
		{"nothing, not signed", func(a *asker, _ *state.Batch) (*state.Batch, *messages.Certificate) {
			b := a.batch(0).Signed(nil)
			return b, a.certificate(b, 0, 1, 2)
		}, -1},
		{"signed by another", func(a *asker, _ *state.Batch) (*state.Batch, *messages.Certificate) {
			b := a.batch(0).Signed([]byte("forged"))
			return b, a.certificate(b, 0, 1, 2)
		}, -1},
		{"storers of another home", func(a *asker, b *state.Batch) (*state.Batch, *messages.Certificate) {
			c := a.certificate(b, 0, 1)
			r := receiptOf(a.storer(1, 2), b)
			r.First = false
			c.Receipts = append(c.Receipts, r)
			return b, c
		}, -1},
		{"an action of another interval", func(a *asker, _ *state.Batch) (*state.Batch, *messages.Certificate) {
			b := a.batch(2)
			late := *b.Actions[0]
			late.At++
			b.Actions = []*state.Action{&late}
			return b, a.certificate(b, 0, 1, 2)
		}, -1},
		{"an action of another player", func(a *asker, _ *state.Batch) (*state.Batch, *messages.Certificate) {
			b := a.batch(1)
			foreign := *b.Actions[0]
			foreign.Player = &state.Player{ID: id.ID{77}}
			b.Actions = []*state.Action{&foreign}
			return b, a.certificate(b, 0, 1, 2)
		}, -1},
	} {
		a := newAsker(t)
		b, cert := c.say(a, a.batch(1))
		a.says(0, 1, b, cert)
		a.wants(c.name, c.want)
	}
	// Somebody stands nearer to the home than who has given a receipt.
	honest.reported[2] = []*overlay.Contact{honest.storer(0, 2)}
	b := honest.batch(1)
	cert := honest.certificate(b, 0, 1)
	far := &overlay.Contact{ID: id.ID{66}, Pos: honest.storer(0, 2).Pos}
	far.Pos.X += 9
	cert.Receipts = append(cert.Receipts, receiptOf(far, b))
	honest.says(0, 1, b, cert)
	honest.wants("a receipt of who is not responsible", -1)
}

// An answer counts only for the question that was asked, of who can be responsible for
// what is asked for.
func TestOnlyWhoWasAskedIsHeard(t *testing.T) {
	a := newAsker(t)
	b := a.batch(1)
	cert := a.certificate(b, 0, 1, 2)
	send := func(from *overlay.Contact, number uint64) {
		a.Retrieval.OnActionsResult(from, &messages.ActionsResult{Query: number, Batch: b, Certificate: cert})
	}
	send(a.storer(0, 1), askedOf<<slotBits)
	a.wants("a guessed number", -1)
	send(a.storer(0, 1), a.Retrieval.number(0, 0, 2))
	a.wants("the number of a question in another zone", -1)
	a.found().wave = 1 // only the first storer in the own zone, 3, was asked
	send(a.storer(0, 1), a.Retrieval.number(0, 0, 1))
	a.wants("a storer that was not asked yet", -1)
	a.area.Now.Neighbours = []*overlay.Contact{a.storer(0, 3)}
	passer := &overlay.Contact{ID: id.ID{66}, Pos: a.part.Self.Pos}
	passer.Pos.X += 99
	none := &messages.ActionsResult{Query: a.Retrieval.number(0, 0, 3), Batch: &state.Batch{Player: a.player, Of: askedOf}}
	a.Retrieval.OnActionsResult(passer, none)
	if a.found().count > 0 {
		t.Error("somebody on the way, far from the home, says that there is nothing, and is heard")
	}
	send(a.storer(0, 3), a.Retrieval.number(0, 0, 3))
	a.wants("the storer that was asked", 1)
	if other := newAsker(t); other.Retrieval.number(0, 0, 1) == other.Retrieval.number(0, 0, 2) || other.Retrieval.number(0, 1, 1) == other.Retrieval.number(0, 0, 1) {
		t.Error("who is asked one question knows the number of another")
	}
}

// What nobody has signed was not done, once all have been asked and have nothing. A
// minority of zones that says so takes nothing from a player, and one that has a batch
// alone adds nothing.
func TestUnsignedAbsence(t *testing.T) {
	for _, c := range []struct {
		name string
		has  int // zones whose first storer has the batch
		want int
	}{{"nobody has anything", 0, 0}, {"one zone", 1, 0}, {"two of four", 2, 0}, {"three of four", 3, 1}, {"all", 4, 1}} {
		a := newAsker(t)
		b, none := a.batch(1), a.batch(0).Signed(nil)
		for home := range 3 {
			for zone := range 4 {
				if a.found().done {
					continue
				}
				if home == 0 && zone < c.has {
					a.says(home, zone, b, nil)
				} else {
					a.says(home, zone, none, nil)
				}
			}
		}
		a.wants(c.name, c.want)
	}
}

// Of two batches that a player has signed one counts if it is certified, and otherwise
// none. Who has seen both keeps the proof.
func TestWhoSignsTwoBatchesHasDoneNothing(t *testing.T) {
	a := newAsker(t)
	one, two := a.batch(1), a.batch(2)
	for zone := range 4 {
		a.says(0, zone, one, nil)
		a.says(1, zone, two, nil)
		a.says(2, zone, two, nil)
		if zone == 1 {
			a.wants("two batches, and not all have answered", -1)
		}
	}
	a.wants("two batches", 0)
	if len(a.faults) != 1 || a.faults[0].By() != a.player.ID || a.faults[0].Of() != askedOf {
		t.Fatalf("proofs: %v", a.faults)
	}
	a = newAsker(t)
	a.says(0, 0, two, nil)
	a.says(0, 1, one, a.certificate(one, 1, 2, 3))
	a.wants("one of two is certified", 1)
	if len(a.faults) != 1 {
		t.Errorf("%d proofs, want that of the player", len(a.faults))
	}
	a = newAsker(t)
	a.Retrieval.OnActionsResult(a.storer(0, 0), &messages.ActionsResult{Query: a.Retrieval.number(0, 0, 0), Batch: one, Other: two})
	if len(a.faults) != 1 {
		t.Error("a storer that says both proves nothing")
	}
	forged := two.Signed([]byte("forged"))
	a = newAsker(t)
	a.Retrieval.OnActionsResult(a.storer(0, 0), &messages.ActionsResult{Query: a.Retrieval.number(0, 0, 0), Batch: one, Other: forged})
	if len(a.faults) != 0 || a.found().double[0] != nil {
		t.Error("a batch that the player has not signed is held against it")
	}
}

// A storer that has given receipts for two batches is guilty; a late answer shows it too.
func TestStorersThatSignTwice(t *testing.T) {
	a := newAsker(t)
	one, two := a.batch(1), a.batch(2)
	a.says(0, 0, one, a.certificate(one, 0, 1, 2))
	a.says(0, 1, two, a.certificate(two, 2, 3))
	a.wants("the first certificate", 1)
	var guilty []id.ID
	for _, f := range a.faults {
		if f.Storer != nil {
			guilty = append(guilty, f.By())
		}
	}
	if len(guilty) != 1 || guilty[0] != a.storer(0, 2).ID {
		t.Errorf("guilty are %v, want the storer of zone 2", guilty)
	}
}

var errSigned = errors.New("signed")

// answers keeps what a storer says and sends nothing.
type answers struct {
	honest
	last *messages.ActionsResult
}

func (s *answers) AnswerActions(_ *overlay.Contact, _ *messages.RetrieveActions, m *messages.ActionsResult) *messages.ActionsResult {
	s.last = m
	return nil
}

// A storer answers with what the player has signed and nothing else; one that has heard
// of two batches says both, and keeps the proof.
func TestStorersSayWhatIsSigned(t *testing.T) {
	a := newAsker(t)
	a.part.Env = frozen{now: a.part.Time.Actions(askedOf).Add(-1)}
	one, two := a.batch(1), a.batch(2)
	ask := func() *messages.ActionsResult {
		a.Store.OnRetrieveActions(a.storer(0, 0), &messages.RetrieveActions{Player: a.player, Of: askedOf})
		return a.answers.last
	}
	a.Store.OnStore(&messages.Store{Action: one.Actions[0]}, a.part.Env.Now())
	if m := ask(); m.Batch.Signature != nil || len(m.Batch.Actions) > 0 {
		t.Errorf("a single action counts as the player's batch: %v", m.Batch)
	}
	a.Store.OnExchange(&messages.Exchange{Batch: one, Receipts: a.certificate(one, 0, 1).Receipts})
	if m := ask(); m.Batch.Signature != nil {
		t.Error("what too few have had in time is said to be stored")
	}
	a.Store.OnExchange(&messages.Exchange{Batch: one, Receipts: a.certificate(one, 1, 2).Receipts})
	if m := ask(); !state.SameBatch(m.Batch, one) || m.Certificate == nil || m.Other != nil {
		t.Errorf("what three zones have receipts for is not said: %v", m)
	}
	a.Store.OnExchange(&messages.Exchange{Batch: two})
	if m := ask(); !state.SameBatch(m.Batch, one) || m.Other != two || len(a.faults) != 1 {
		t.Errorf("two batches: %v, %d proofs", m, len(a.faults))
	}
	a.Store.OnExchange(&messages.Exchange{Batch: two, Receipts: a.certificate(two, 2).Receipts})
	if f := a.faults[len(a.faults)-1]; f.Storer == nil || f.By() != a.storer(0, 2).ID {
		t.Errorf("%d proofs, want one against the storer of zone 2", len(a.faults))
	}
	forged := newAsker(t)
	forged.Store.OnExchange(&messages.Exchange{Batch: two.Signed([]byte("forged")), Other: one})
	if len(forged.faults) > 0 || len(forged.Store.actions.order) > 0 {
		t.Error("a batch that its player has not signed is kept")
	}
}

// Who has been started again has forgotten what it had signed: it signs nothing about an
// interval that had begun before, neither a receipt nor a batch. So nobody honest is
// ever held guilty.
func TestNobodySignsTwiceAfterAStart(t *testing.T) {
	for _, c := range []struct {
		name     string
		started  machine.Time
		early    bool
		receipts int
	}{
		{"started before the interval", -1, false, 1},
		{"started in the interval", 1, false, 0},
		{"a batch of an interval that has not begun", -30, true, 0},
	} {
		a := newAsker(t)
		begin := a.part.Time.Update(askedOf - 1)
		a.part.Started = begin + c.started*machine.Time(time.Second)
		a.part.Env = frozen{now: a.part.Time.Update(askedOf).Add(time.Second)}
		if c.early {
			a.part.Env = frozen{now: begin.Add(-time.Second)}
		}
		signed := 0
		a.cfg.SignReceipt = func(*messages.Receipt) { signed++; panic(errSigned) } // it is not sent here
		func() {
			defer func() {
				if r := recover(); r != nil && r != errSigned {
					panic(r)
				}
			}()
			a.Store.OnDeposit(&overlay.Contact{ID: a.player.ID}, &messages.Deposit{Batch: a.batch(1)}, a.part.Env.Now())
		}()
		if signed != c.receipts {
			t.Errorf("%s: %d receipts, want %d", c.name, signed, c.receipts)
		}
	}
	a := newAsker(t)
	a.part.Started = a.part.Time.Update(askedOf - 1).Add(time.Second)
	a.Player.addPending(a.batch(1).Actions[0])
	if len(a.Player.pending.acts) > 0 {
		t.Error("an action is signed in a batch of an interval that had begun before the start")
	}
}

// What a neighbour hands over counts as stored if the player has signed it, and proves
// the player's fault if it contradicts what is there.
func TestPushedBatches(t *testing.T) {
	a := newAsker(t)
	a.part.Env = frozen{now: a.part.Time.Actions(askedOf).Add(-1)}
	one := a.batch(1)
	a.Store.KeepPushed(one.Signed([]byte("forged")))
	a.Store.KeepPushed(&state.Batch{Player: a.player, Of: askedOf + 9, Signature: one.Signature})
	if len(a.Store.actions.order) > 0 && a.Store.actions.order[0].stacks[0].sealed {
		t.Error("what is not signed, or not of the present, counts as stored")
	}
	a.Store.KeepPushed(one)
	if _, st := a.Store.actions.find(a.player.ID, askedOf); !st.sealed || st.batch != one || len(st.receipts) > 0 {
		t.Errorf("a signed batch is stored as %+v", st)
	}
	a.Store.KeepPushed(a.batch(2))
	if len(a.faults) != 1 {
		t.Error("a second batch proves nothing")
	}
}

// A player whose node has just started is woken for an interval of which the node signs
// what the player does: what it does in one that had begun before counts for nobody.
func TestNewcomersActInIntervalsThatTheySign(t *testing.T) {
	for _, c := range []struct {
		name    string
		started time.Duration // after t_1
		want    int64
	}{{"before the interval", -time.Second, 1}, {"in the interval", time.Second, 2}} {
		a := newAsker(t)
		a.part.Env = frozen{now: a.part.Time.Update(1).Add(2 * time.Second)}
		a.part.Started = a.part.Time.Update(1).Add(c.started)
		if got := a.Player.nextActivation(); got != c.want {
			t.Errorf("started %s: woken for update %d, want %d", c.name, got, c.want)
		}
		after, _ := a.Player.Activation()
		if a.part.Time.BegunBefore(a.part.Time.Of(after+1), a.part.Started) {
			t.Errorf("started %s: the first action is of an interval that the node does not sign", c.name)
		}
	}
}

// An action that comes when its interval has been signed gets no second batch: two prove a
// fault of the player.
func TestLateActionsAreNotSigned(t *testing.T) {
	a := newAsker(t)
	op := &a.Player
	op.Started = a.part.Time.Update(0).Add(-time.Second)
	op.Cfg.Player = a.player
	op.pending.armed = askedOf
	op.sign(askedOf)
	op.addPending(&state.Action{Player: a.player, At: a.part.Time.Update(askedOf) - 1})
	if len(op.pending.acts) > 0 {
		t.Error("an action of an interval that is signed is signed again")
	}
	late, next := a.part.Time.Update(askedOf)-1, a.part.Time.Update(askedOf)+1
	if at := a.Player.Stamp(late); a.part.Time.Of(at) == askedOf {
		t.Errorf("an action is stamped %v, in the interval that is signed", at)
	}
	if at := a.Player.Stamp(next); at != next {
		t.Errorf("an action of the next interval is stamped %v, not %v", at, next)
	}
}
