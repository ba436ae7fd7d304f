package regionlog

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire/frame"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// View is what a node's players are shown of a region by its leader, each of them. It
// compares the blocks with what the leader signs.
type View struct {
	pos      world.RegionPos
	sessions map[id.ID]*[world.Columns]shownColumn
	decoder  frame.Frame
	changes  [world.Columns][]blockAt // of a frame

	pieces Pieces
	list   [][]byte // since last
	bytes  int
	last   *Shown  // nil: none, or too much was shown since
	hashes *Hashes // of the last checkpoint, for the encoding of the next

	whole map[[32]byte]*picture // columns that came whole since last
	made  int                   // pictures that frames have led to since last
}

// shownColumn is a column as a session was shown it.
type shownColumn struct {
	now *picture // nil: it was not, or it is not known any more
	// base is the column as it came since last, or else as it was in last, if the leader has
	// signed that this session knows it like that.
	base    *picture
	without int // statements in a row by which others know the column, and the session does not
}

// Bounds of what a leader can have its watchers keep. What is more is not known of a session
// until the column comes again.
const (
	maxPieces = 1 << 10 // between two statements, for a proof
	maxWhole  = 256     // different columns between two statements
	maxMade   = 1 << 12 // pictures that frames lead to between two statements
	maxOthers = 8       // pictures of a column that are not what is signed
	// maxWithout is how many statements a session may be left out for that others are not: a
	// leader that is short of time, or whose link to the node is crowded, leaves out all.
	maxWithout = 8
)

// NewView returns the view of a region of which nothing was shown.
func NewView(pos world.RegionPos) *View {
	return &View{pos: pos, sessions: map[id.ID]*[world.Columns]shownColumn{}, whole: map[[32]byte]*picture{}}
}

// Columns takes whole columns that sessions are shown; here are those of them that there are.
func (v *View) Columns(tick uint64, to, here []id.ID, list []*world.Column) {
	sums := map[*world.Column][32]byte{}
	v.add(ColumnsPiece(tick, to, list, func(c *world.Column) [32]byte {
		sums[c] = hashColumn(c)
		return sums[c]
	}))
	for _, c := range list {
		if c.Pos.Region() != v.pos {
			continue
		}
		p := v.whole[sums[c]]
		if p == nil && len(v.whole) < maxWhole {
			p = pictureOf(c, sums[c])
			v.whole[sums[c]] = p
		}
		for _, session := range here {
			x := &v.session(session)[c.Pos.Index()]
			x.now, x.base = p, p // nil: it is too much
		}
	}
}

// session is what a session was shown.
func (v *View) session(session id.ID) *[world.Columns]shownColumn {
	x := v.sessions[session]
	if x == nil {
		x = &[world.Columns]shownColumn{}
		v.sessions[session] = x
	}
	return x
}

// Frame takes the shared part of a frame that sessions are shown; here are those of them
// that there are.
func (v *View) Frame(tick uint64, to, here []id.ID, cells []byte) {
	v.add(FramePiece(tick, to, cells))
	var changed uint16
	blocksIn(&v.decoder, v.pos, cells, func(i int, b blockAt) {
		if changed>>i&1 == 0 {
			changed, v.changes[i] = changed|1<<i, v.changes[i][:0]
		}
		v.changes[i] = append(v.changes[i], b)
	})
	columnsIn(changed, func(i int) {
		var was, is *picture // of the session before: mostly the same
		for _, session := range here {
			x := &v.session(session)[i]
			switch {
			case x.now == nil:
			case x.now == was:
				x.now = is
			default:
				was, is = x.now, v.after(x.now, v.changes[i])
				x.now = is
			}
		}
	})
}

// after is the picture to which a frame leads; nil: it is not kept.
func (v *View) after(p *picture, change []blockAt) *picture {
	if v.made >= maxMade {
		return nil
	}
	q, made := p.after(change)
	if made {
		v.made++
	}
	return q
}

// Block returns a block as it is shown to a session; false: its column is not.
func (v *View) Block(session id.ID, at world.Pos) (world.Block, bool) {
	x := v.sessions[session]
	if at.Region() != v.pos || x == nil || x[at.Column().Index()].now == nil || !at.InWorld() {
		return world.Air, false
	}
	return x[at.Column().Index()].now.content().At(int(at.X&(world.ChunkSize-1)), int(at.Y), int(at.Z&(world.ChunkSize-1))), true
}

// blocksIn calls do for the block changes of a frame, in order.
func blocksIn(f *frame.Frame, pos world.RegionPos, cells []byte, do func(i int, b blockAt)) {
	if f.DecodeCells(cells) != nil {
		return
	}
	for k := range f.Cells {
		cell := &f.Cells[k]
		col := pos.Column(int(cell.Index))
		for _, b := range cell.Blocks {
			if at := frame.PlaceIn(col, b.Place); at.InWorld() && b.Block.Known() {
				do(int(cell.Index), blockAt{at, b.Block})
			}
		}
	}
}

// add appends a piece. What is too much is forgotten, and nothing is proven by it.
func (v *View) add(piece []byte) {
	v.pieces.Add(piece)
	v.list, v.bytes = append(v.list, piece), v.bytes+len(piece)
	if len(v.list) > maxPieces || v.bytes > MaxWindow {
		v.last, v.list, v.bytes = nil, nil, 0
	}
}

// Hashes are those of the last checkpoint that came; nil: none has.
func (v *View) Hashes() *Hashes { return v.hashes }

// Judgement is what a statement of a leader tells about what it has shown.
type Judgement struct {
	Compared int      // columns of sessions
	Differs  uint16   // columns that are shown to a session otherwise than they are signed
	Sessions []id.ID  // those to whom they are
	LeftOut  []id.ID  // sessions that do not know columns for long that others know
	Unsigned bool     // what was shown is not what it has signed that it has shown
	Proof    *Display // nil: nothing is proven
}

// Compare compares what was shown with what its leader has signed; the signatures were
// verified. watched is what sessions here want to see; what it does not have is forgotten.
func (v *View) Compare(s *Shown, watched []Known) (j Judgement) {
	v.hashes = &s.Checkpoint.Hashes
	j.Unsigned = s.Number != v.pieces.Number || s.Head != v.pieces.Head
	v.keep(watched)
	var others [world.Columns]map[*picture]bool // that are not as they are signed
	var signed [world.Columns]*picture
	agree := map[id.ID]uint16{}
	var anybody uint16 // columns that somebody knows
	for _, w := range watched {
		x, current := v.session(w.Session), s.Knows(w.Session)
		columnsIn(current&w.Columns, func(i int) {
			p := x[i].now
			if p == nil {
				return
			}
			anybody |= 1 << i
			j.Compared++
			if p != signed[i] && !others[i][p] {
				if len(others[i]) >= maxOthers {
					x[i] = shownColumn{without: x[i].without}
					return
				}
				switch same := p.sum() == s.Checkpoint.Hashes[partColumns+i]; {
				case same && signed[i] == nil:
					signed[i] = p
				case same:
					x[i].now, p = signed[i], signed[i]
				case others[i] == nil:
					others[i] = map[*picture]bool{p: true}
				default:
					others[i][p] = true
				}
			}
			if p == signed[i] {
				agree[w.Session] |= 1 << i
				return
			}
			j.differs(i, w.Session)
			if j.Proof == nil && !j.Unsigned {
				j.Proof = v.proof(s, w.Session, i, x[i].base)
			}
		})
	}
	v.leaveOut(&j, watched, agree, anybody)
	v.goOn(s, agree)
	return j
}

// differs notes that a session is shown a column otherwise than it is signed.
func (j *Judgement) differs(column int, session id.ID) {
	j.Differs |= 1 << column
	if n := len(j.Sessions); n == 0 || j.Sessions[n-1] != session {
		j.Sessions = append(j.Sessions, session)
	}
}

// keep forgets what nobody watches any more.
func (v *View) keep(watched []Known) {
	is := map[id.ID]bool{}
	for _, w := range watched {
		is[w.Session] = true
	}
	for session := range v.sessions {
		if !is[session] {
			delete(v.sessions, session)
		}
	}
}

// Unwatch forgets all columns of a session but those that it watches.
func (v *View) Unwatch(session id.ID, watched uint16) {
	x := v.sessions[session]
	if x == nil {
		return
	}
	columnsIn(allColumns&^watched, func(i int) { x[i] = shownColumn{} })
}

// leaveOut finds sessions that do not know columns for long that others know.
func (v *View) leaveOut(j *Judgement, watched []Known, agree map[id.ID]uint16, known uint16) {
	for _, w := range watched {
		x, out := v.session(w.Session), false
		columnsIn(w.Columns, func(i int) {
			switch bit := uint16(1) << i; {
			case agree[w.Session]&bit != 0:
				x[i].without = 0
			case known&bit != 0:
				x[i].without++
				out = out || x[i].without >= maxWithout
			}
		})
		if out {
			j.LeftOut = append(j.LeftOut, w.Session)
		}
	}
}

// goOn begins the next interval; agree are the columns that sessions are shown as they are
// signed.
func (v *View) goOn(s *Shown, agree map[id.ID]uint16) {
	v.pieces = Pieces{s.Number, s.Head}
	v.last, v.list, v.bytes = s, nil, 0
	v.made = 0
	clear(v.whole)
	for session, x := range v.sessions {
		for i := range x {
			if x[i].base = nil; agree[session]>>i&1 == 1 {
				x[i].base = x[i].now
				x[i].now.next = nil
			}
		}
	}
}

// proof makes the proof that a session was shown a column otherwise than it is signed; nil:
// what it began with was not signed.
func (v *View) proof(s *Shown, session id.ID, i int, base *picture) *Display {
	if v.last == nil || base == nil {
		return nil
	}
	return &Display{From: v.last, To: s, Session: session, Column: i, Base: base.content(), Pieces: v.list}
}
