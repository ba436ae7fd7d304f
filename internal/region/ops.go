package region

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// An edit across the border is asked again when its answer does not come: the
// question or the answer is lost when the machine that leads the neighbour dies.
// The neighbour's region keeps, with the edit itself, that it was done, until
// the home says that it knows.

// askEditAgain is when a RemoteEdit without an answer is sent again.
const askEditAgain = 5 * time.Second

// maxOps bounds what is kept of one neighbour; it asks for fewer at a time.
const maxOps = 512

// asks are the edits that this region has asked neighbours for.
type asks struct {
	open []*world.Remote // by Op
	last uint64
}

// ask sends an edit to its region, for the first time.
func (r *Region) ask(m *world.Remote) {
	r.asks.last = max(r.asks.last+1, r.tick<<8)
	m.Op = r.asks.last
	r.asks.open = append(r.asks.open, m)
	r.sendAsk(m)
	r.env.SetTimer(r.env.Now().Add(askEditAgain), machine.Timer{Kind: timerAsk, Arg: m.Op})
}

// sendAsk sends an edit, unless an earlier one of the same block has no answer
// yet: that one may have been lost and be sent again, and must not be done after
// this one, which may be acknowledged by then.
func (r *Region) sendAsk(m *world.Remote) {
	if r.asks.behind(m) {
		return
	}
	r.env.Send(PeerOf(m.At.Region()), &RemoteEdit{Remote: m, Oldest: r.asks.open[0].Op})
}

// askAgain sends what has not been answered: one edit, or all of a region.
func (r *Region) askAgain(which func(*world.Remote) bool) (any bool) {
	for _, m := range r.asks.open {
		if which(m) {
			any = true
			r.sendAsk(m)
		}
	}
	return any
}

func (r *Region) onAskTimer(t machine.Timer) {
	if r.askAgain(func(m *world.Remote) bool { return m.Op == t.Arg }) {
		r.env.SetTimer(r.env.Now().Add(askEditAgain), t)
	}
}

// behind reports whether an earlier edit of the same block is open.
func (a *asks) behind(m *world.Remote) bool {
	i := slices.IndexFunc(a.open, func(o *world.Remote) bool { return o.At == m.At })
	return i >= 0 && a.open[i].Op < m.Op
}

// settle notes an answer; false if the edit is not open.
func (a *asks) settle(op uint64) bool {
	i := slices.IndexFunc(a.open, func(m *world.Remote) bool { return m.Op == op })
	if i < 0 {
		return false
	}
	a.open = slices.Delete(a.open, i, i+1)
	return true
}

// ops are the edits that a neighbour has asked for here and that it may ask for
// again.
type ops struct{ list []op }

type op struct {
	number  uint64
	state   opState
	dropped world.Block // what is left of a block that was broken
}

type opState uint8

const (
	opWaits opState = iota // for its tick
	opDone                 // and on its way to the disk
	opKept                 // on the disk
)

func (o *ops) find(number uint64) *op {
	for i := range o.list {
		if o.list[i].number == number {
			return &o.list[i]
		}
	}
	return nil
}

func (o *ops) drop(number uint64) {
	o.list = slices.DeleteFunc(o.list, func(p op) bool { return p.number == number })
}

func (o *ops) done(number uint64, got world.Block) {
	if p := o.find(number); p != nil {
		p.state, p.dropped = opDone, got
	}
}

func (o *ops) kept(number uint64) {
	if p := o.find(number); p != nil {
		p.state = opKept
	}
}

func (r *Region) opsOf(from world.RegionPos) *ops {
	o := r.ops[from]
	if o == nil {
		o = &ops{}
		r.ops[from] = o
	}
	return o
}

// askedBefore reports whether an edit has been asked for before. One that was
// done is answered again.
func (r *Region) askedBefore(from world.RegionPos, m *RemoteEdit) bool {
	o := r.opsOf(from)
	o.list = slices.DeleteFunc(o.list, func(p op) bool { return p.number < m.Oldest && p.state != opWaits })
	p := o.find(m.Remote.Op)
	if p != nil && p.state == opKept {
		done := *m.Remote
		done.Got = p.dropped
		r.answerRemote(&done, world.Done)
	}
	return p != nil || m.Remote.Op < m.Oldest
}

// opsKey is where what a neighbour has asked for is kept.
func opsKey(from world.RegionPos) string {
	b := binary.BigEndian.AppendUint32([]byte(keyOps), uint32(from.X))
	return string(binary.BigEndian.AppendUint32(b, uint32(from.Z)))
}

// putOps writes what has been done for a neighbour, with the next batch.
func (r *Region) putOps(from world.RegionPos, o *ops) {
	var b []byte
	for _, p := range o.list {
		if p.state != opWaits {
			b = binary.AppendUvarint(binary.AppendUvarint(b, p.number), uint64(p.dropped))
		}
	}
	if b == nil {
		r.store.del(opsKey(from))
		return
	}
	r.store.put(opsKey(from), b)
}

// unpackOps reads what putOps has written.
func (r *Region) unpackOps(key string, b []byte) error {
	if len(key) != 8 {
		return fmt.Errorf("edits of a neighbour: %w", ErrCorrupt)
	}
	from := world.RegionPos{X: int32(binary.BigEndian.Uint32([]byte(key))), Z: int32(binary.BigEndian.Uint32([]byte(key[4:])))}
	o := r.opsOf(from)
	o.list = nil
	for len(b) > 0 {
		number, n := binary.Uvarint(b)
		got, m := binary.Uvarint(b[max(n, 0):])
		if n <= 0 || m <= 0 || got >= uint64(world.BlockCount) {
			return fmt.Errorf("edits of a neighbour: %w", ErrCorrupt)
		}
		b = b[n+m:]
		o.list = append(o.list, op{number: number, state: opKept, dropped: world.Block(got)})
	}
	return nil
}
