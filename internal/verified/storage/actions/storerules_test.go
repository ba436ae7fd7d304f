package actions

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
		a.Store.OnDeposit(&overlay.Contact{ID: by}, &messages.Deposit{Batch: b}, came)
		return receipts
	}
	stored := func(a *asker) *state.Batch {
		if _, st := a.Store.actions.find(a.player.ID, askedOf); st != nil && st.sealed {
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
		a.Store.OnStore(&messages.Store{Action: a.batch(1).Actions[0]}, c.came(a))
		if got := len(a.Store.actions.order) > 0; got != c.want {
			t.Errorf("%s: stored %v, want %v", c.name, got, c.want)
		}
	}
}
