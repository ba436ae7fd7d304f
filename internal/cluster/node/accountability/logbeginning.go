package accountability

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// logBeginning compares the state with which a leader begins its log anew with what its log
// has led to before. An honest leader begins anew when something could not be written:
// then it takes back what was changed a moment ago, and has never acknowledged it. A
// leader that wants to change something older, and has its group write that too, could do
// so between two logs. A difference is no proof, for nothing connects the two.
type logBeginning struct {
	ended *world.Area // as the last log led to it; nil: none has ended, or too much may have happened since
	lost  bool        // this node could not follow it
	begun []machine.Time
	marks [2]logMark // the older first
}

// logMark is what a log had led to at a time.
type logMark struct {
	at      machine.Time
	columns [world.Columns]*world.Column
}

const (
	// markEvery is how far apart marks are: what the older one has stood for so long, at
	// least.
	markEvery = 20 * time.Second
	// beginsAtOnce is how many ticks lie between the end of a log and its new beginning, if
	// its leader has ended it, beginsSoon if this node had to ask for a state. Afterwards a
	// comparison says nothing.
	beginsAtOnce, beginsSoon = 4, 80
	// editTicks is how often somebody changes a block at most, when nobody sees how. maxCame
	// bounds the players of whom it is believed that they have come meanwhile.
	editTicks, maxCame = 4, 8
	// manyBeginnings in beginningsIn is more than happens by chance.
	manyBeginnings = 4
	beginningsIn   = 10 * time.Minute
	maxDifferences = 1 << 10
)

// broken is when entries may have been lost with the link: the next beginning is none of the
// leader's.
func (b *logBeginning) broken() { b.ended, b.begun, b.lost = nil, nil, false }

// mark keeps what the log leads to, from time to time.
func (b *logBeginning) mark(now machine.Time, area *world.Area) {
	if area == nil || now.Sub(b.marks[1].at) < markEvery && b.marks[1].at != 0 {
		return
	}
	b.marks[0], b.marks[1] = b.marks[1], logMark{at: now}
	for i := range world.Columns {
		b.marks[1].columns[i] = area.Share(i)
	}
}

// end is when a log has ended, or cannot be followed.
func (b *logBeginning) end(area *world.Area) { b.ended = area }

// begin takes the state with which the log goes on, and says what is wrong with it; empty:
// nothing is.
func (b *logBeginning) begin(now machine.Time, area *world.Area) string {
	before, lost := b.ended, b.lost
	b.ended, b.lost = nil, false
	if before == nil || area.Now() < before.Now() {
		return ""
	}
	gap := area.Now() - before.Now()
	if gap > beginsSoon {
		b.marks = [2]logMark{}
		if !lost { // the region has slept
			return ""
		}
	}
	for len(b.begun) > 0 && now.Sub(b.begun[0]) > beginningsIn {
		b.begun = b.begun[1:]
	}
	if b.begun = append(b.begun, now); len(b.begun) >= manyBeginnings {
		b.begun = nil
		return fmt.Sprintf("has begun its log anew %d times in %v", manyBeginnings, beginningsIn)
	}
	if gap > beginsSoon {
		return ""
	}
	differ, first := b.differences(before, area)
	allowed := 0 // by those who are there, while nobody saw how
	if gap > beginsAtOnce {
		were, are := len(before.Players()), len(area.Players())
		allowed = max(were, min(are, were+maxCame)) * int(gap/editTicks+1)
	}
	if differ <= allowed {
		return ""
	}
	return fmt.Sprintf("begins its log anew with other blocks than it had led to: %d that had stood for some time, such as %v instead of %v at x %d, y %d, z %d",
		differ, first.Now, first.Was, first.At.X, first.At.Y, first.At.Z)
}

// differences counts the blocks that have changed between two logs, and had stood for a
// while.
func (b *logBeginning) differences(before, after *world.Area) (n int, first world.BlockChange) {
	for i, old := range b.marks[0].columns {
		was, now := before.Share(i), after.Share(i)
		if old == nil || was == nil || now == nil {
			continue
		}
		for k := range was.Chunks {
			if was.Chunks[k].Equal(&now.Chunks[k]) {
				continue
			}
			more, at := stoodAndChanged(&old.Chunks[k], &was.Chunks[k], &now.Chunks[k])
			if n == 0 && more > 0 {
				first = at
				first.At = was.Pos.Origin().Add(at.At.X, at.At.Y+int32(k*world.ChunkSize), at.At.Z)
			}
			if n += more; n >= maxDifferences {
				return n, first
			}
		}
	}
	return n, first
}

// stoodAndChanged counts the blocks of a chunk that were the same at two times and have
// changed then, other than by themselves, and returns the first.
func stoodAndChanged(old, was, now *world.Chunk) (n int, first world.BlockChange) {
	var a, b, c world.Dense
	old.Unpack(&a)
	was.Unpack(&b)
	now.Unpack(&c)
	const side = world.ChunkSize
	for j := range a {
		if a[j] != b[j] || b[j] == c[j] || world.Drifts(b[j]) && world.Drifts(c[j]) {
			continue
		}
		if n++; n == 1 {
			first = world.BlockChange{At: world.Pos{X: int32(j % side), Y: int32(j / (side * side)), Z: int32(j / side % side)}, Was: b[j], Now: c[j]}
		}
	}
	return n, first
}
