package storage

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/fetch"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// The side of who is asked for cells and static objects.

// onFetch sends cells of an area that is the asker's business.
func (an *answerer) onFetch(by *overlay.Contact, q *messages.Fetch) {
	if !state.ValidArea(&q.Area) || !an.isAskersConcern(by, &q.Retrieve) || !an.gives(by, 1+len(q.Cells)+len(q.Characters)) {
		return
	}
	if q.Kind.Static() {
		an.giveNamed(by, q)
		return
	}
	s := an.replica.State
	if s == nil || s.Of != q.Of {
		return
	}
	m, known := &messages.Blocks{Query: q.Query}, s.WithTentative()
	patches := an.patches.For(q)
	for k, at := range q.Cells {
		var c *state.Cell
		if known.Covers(at.X, at.Y, an.World.Cell) == state.Inside {
			c = s.At(at.X, at.Y)
		}
		m.Bytes += patches.Size(c, k)
		if an.Cfg.Wire {
			m.Pieces = append(m.Pieces, patches.Cell(c, k))
		} else {
			m.Cells = append(m.Cells, c)
		}
	}
	for _, o := range s.Activated {
		if slices.Contains(q.Characters, o.ID) {
			m.Characters = append(m.Characters, o)
			m.Bytes += o.Size
		}
	}
	an.Overlay.Reply(by, m)
}

// giveNamed sends static objects that somebody has been told of.
func (an *answerer) giveNamed(by *overlay.Contact, q *messages.Fetch) {
	m := &messages.Blocks{Query: q.Query}
	for _, what := range q.Characters[:min(len(q.Characters), fetch.NamesAtOnce)] {
		if o := an.dormant.Object(what); o != nil && an.Places.Touches(&q.Area, o.Pos) {
			m.Characters = append(m.Characters, o)
			m.Bytes += o.Size
		}
	}
	if len(m.Characters) > 0 {
		an.Overlay.Reply(by, m)
	}
}
