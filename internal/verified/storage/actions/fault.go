package actions

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// Fault is what somebody has proven against itself: two things that it has signed and
// that an honest node never signs together. Whoever has both can check it.
type Fault struct {
	// Batches are two that a player has signed for one interval.
	Batches [2]*state.Batch
	// Storer has given receipts for both, if it is not nil.
	Storer   *overlay.Contact
	Receipts [2]*messages.Receipt
}

// Of is the interval.
func (f *Fault) Of() int64 { return f.Batches[0].Of }

// By is whose fault it is.
func (f *Fault) By() id.ID {
	if f.Storer != nil {
		return f.Storer.ID
	}
	return f.Batches[0].Player.ID
}

// maxFaults bounds the faults that a node remembers, the oldest are forgotten first.
const maxFaults = 256

// faultLog keeps proofs, one of each node and interval.
type faultLog struct {
	report func(*Fault) // may be nil
	list   []*Fault
}

// note keeps a proof that is new.
func (fl *faultLog) note(f *Fault) {
	for _, k := range fl.list {
		if k.By() == f.By() && k.Of() == f.Of() {
			return
		}
	}
	if len(fl.list) >= maxFaults {
		fl.list = fl.list[1:]
	}
	fl.list = append(fl.list, f)
	if fl.report != nil {
		fl.report(f)
	}
}

// contradict notes that a player has signed two batches, and which storers have given
// receipts for both: these are good, and for their batch.
func (fl *faultLog) contradict(a, b *state.Batch, forA, forB []*messages.Receipt) {
	fl.note(&Fault{Batches: [2]*state.Batch{a, b}})
	for _, r := range forA {
		for _, s := range forB {
			if r.By.ID == s.By.ID {
				fl.note(&Fault{Batches: [2]*state.Batch{a, b}, Storer: r.By, Receipts: [2]*messages.Receipt{r, s}})
			}
		}
	}
}
