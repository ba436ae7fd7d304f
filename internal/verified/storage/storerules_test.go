package storage

import (
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Rules that tools/mutate breaks and that no other test looks at alone.

// A storer gives a receipt to the player alone, in time, and for one batch of an interval.
func TestDepositsThatGetAReceipt(t *testing.T) {
	deposit := func(a *asker, by id.ID, b *state.Batch, came machine.Time) (receipts int) {
		a.part.Env = frozen{now: came}
		a.cfg.SignReceipt = func(*messages.Receipt) { receipts++; panic(errSigned) } // it is not sent here
		defer func() {
			if r := recover(); r != nil && r != errSigned {
				panic(r)
			}
		}()
		a.store.onDeposit(&overlay.Contact{ID: by}, &messages.Deposit{Batch: b}, came)
		return receipts
	}
	stored := func(a *asker) *state.Batch {
		if _, st := a.store.actions.find(a.player.ID, askedOf); st != nil && st.sealed {
			return st.batch
		}
		return nil
	}
	for _, c := range []struct {
		name string
		by   id.ID
		came time.Duration // after t^a
		want int
	}{
		{"the player, in time", id.ID{7}, 0, 1},
		{"the player, too late", id.ID{7}, 1, 0},
		{"somebody else", id.ID{8}, -time.Second, 0},
	} {
		a := newAsker(t)
		b := a.batch(1)
		if n := deposit(a, c.by, b, a.part.Time.Actions(askedOf).Add(c.came)); n != c.want || (stored(a) != nil) != (c.want > 0) {
			t.Errorf("%s: %d receipts, want %d; stored: %v", c.name, n, c.want, stored(a) != nil)
		}
	}
	a := newAsker(t)
	one, two := a.batch(1), a.batch(2)
	at := a.part.Time.Actions(askedOf).Add(-time.Second)
	deposit(a, a.player.ID, one, at)
	if n := deposit(a, a.player.ID, two, at); n != 0 || stored(a) != one {
		t.Errorf("a second batch of the interval: %d receipts, stored is %v", n, stored(a))
	}
}

// In the thesis' protocol actions are stored one by one, not too late for those who ask
// and not of intervals to come (5.3.3).
func TestActionsAreStoredInTime(t *testing.T) {
	for _, c := range []struct {
		name string
		came func(a *asker) machine.Time
		want bool
	}{
		{"at t^a", func(a *asker) machine.Time { return a.part.Time.Actions(askedOf) }, true},
		{"after it", func(a *asker) machine.Time { return a.part.Time.Actions(askedOf) + 1 }, false},
		{"two intervals before", func(a *asker) machine.Time { return a.part.Time.Update(askedOf - 2) }, false},
	} {
		a := newAsker(t)
		a.part.Hardened = false
		a.store.onStore(&messages.Store{Action: a.batch(1).Actions[0]}, c.came(a))
		if got := len(a.store.actions.order) > 0; got != c.want {
			t.Errorf("%s: stored %v, want %v", c.name, got, c.want)
		}
	}
}

// A zone whose nodes differ about a cell has no vote as a whole: its nodes are counted one
// by one.
func TestZonesThatDifferHaveNoVote(t *testing.T) {
	good, bad := cellOf(1), cellOf(2)
	e := newElection(nil)
	for range 5 {
		e.say(4, bad, false)
	}
	for zone := range 5 {
		e.say(zone, good, false)
	}
	if got, _ := e.end(); !got.IsUnsure(0, 0) {
		t.Errorf("half of the nodes decide: %v", got.Cells[0])
	}
}

// Guesses count when no more answers come, not before: those who know may still speak.
func TestGuessesWaitForKnowledge(t *testing.T) {
	e := newElection(nil)
	for zone := range 5 {
		e.say(zone, cellOf(1), zone > 1)
	}
	if _, _, decided := e.ballot.countVotes(e.q, false); decided {
		t.Error("guesses decide while answers are waited for")
	}
	if _, _, decided := e.ballot.countVotes(e.q, true); !decided {
		t.Error("guesses of a majority do not end the doubt")
	}
}

// Of a node one answer to a retrieval counts, which it gives in its own name and about the
// place where it stands.
func TestOneAnswerInTheOwnName(t *testing.T) {
	a := newAsker(t)
	q := &query{Retrieve: messages.Retrieve{Query: 1, Kind: messages.ForUpdate, Of: askedOf}, zones: make([]zoneAnswer, 4), keys: make([]overlay.Area, 4)}
	from, other := a.storer(0, 1), a.storer(1, 1)
	q.zones[1].missing = []missing{{node: a.storer(2, 1)}} // the zone is not complete
	a.queries.running = append(a.queries.running, q)
	say := func(around *messages.Around) int {
		a.queries.onResult(from, &messages.Result{Query: 1, Around: around, Seen: &state.Snapshot{Of: askedOf}})
		return len(q.zones[1].results)
	}
	moved := *from
	moved.Pos.X++
	if n := say(nil) + say(&messages.Around{Self: other}) + say(&messages.Around{Self: &moved}); n > 0 {
		t.Errorf("%d answers without a name, in another's name or from elsewhere count", n)
	}
	if n := say(&messages.Around{Self: from}); n != 1 {
		t.Fatalf("%d answers, want 1", n)
	}
	if n := say(&messages.Around{Self: from}); n != 1 {
		t.Errorf("a second answer counts: %d", n)
	}
}

// A node that joins takes what nodes of its own zone push, once of each.
func TestWhoPushesToANewcomer(t *testing.T) {
	a := newAsker(t)
	a.transfer.pushed = map[id.ID]bool{}
	own, other := a.storer(0, a.part.Zone), a.storer(0, (a.part.Zone+1)%4)
	for _, c := range []struct {
		from *overlay.Contact
		want int
	}{{other, 0}, {own, 1}, {own, 1}, {a.storer(1, a.part.Zone), 2}} {
		if a.transfer.onPush(c.from, &messages.Push{}); len(a.transfer.pushes) != c.want {
			t.Errorf("%d pushes are kept, want %d", len(a.transfer.pushes), c.want)
		}
	}
}
