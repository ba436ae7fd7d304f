package client

import (
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// edits are the acts that wait for their answer, with what the client shows in
// the meantime.
type edits struct {
	seq     uint32
	waiting map[uint32]*edit
}

type edit struct {
	seq    uint32
	answer chan wire.ActResult
	shown  bool // at shows a block instead of was
	at     world.Pos
	was    world.Block
}

func (e *edits) init() { e.waiting = map[uint32]*edit{} }

// begin numbers an act.
func (e *edits) begin(a *wire.Act) *edit {
	e.seq++
	a.Seq = e.seq
	p := &edit{seq: e.seq, answer: make(chan wire.ActResult, 1)}
	e.waiting[e.seq] = p
	return p
}

// show puts a block into the copy before the node has said anything.
func (e *edits) show(c *Copy, p *edit, at world.Pos, b world.Block) {
	was, ok := c.Block(at)
	if !ok || !at.InWorld() {
		return
	}
	p.shown, p.at, p.was = true, at, was
	c.set(at, b)
}

// overtake notes that the node has said what is at a place: nothing shown there
// is to be taken back.
func (e *edits) overtake(at world.Pos) {
	for _, p := range e.waiting {
		if p.at == at {
			p.shown = false
		}
	}
}

// settle takes an answer.
func (e *edits) settle(c *Copy, r *wire.ActResult) {
	p := e.waiting[r.Seq]
	if p == nil {
		return
	}
	delete(e.waiting, r.Seq)
	if p.shown && !r.OK {
		c.set(p.at, p.was)
	}
	p.answer <- *r
}
