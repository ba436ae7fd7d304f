package node

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// corner is where four regions meet. Settlers live there.
var corner = world.Pos{X: 128, Y: ground + 1, Z: 128}

// cornerSize is how far their land reaches.
const cornerSize = 4

// lot is a place that one settler alone changes, and what may be there: what
// was acknowledged last, and what was asked for since without a clear answer.
type lot struct {
	at    world.Pos
	may   map[world.Block]bool
	asked machine.Time // when it was last asked for, or that was answered
	story []string
}

func (l *lot) String() string {
	return fmt.Sprintf("%v in %v may be %v (%s)", l.at, l.at.Column().Region(), slices.Sorted(maps.Keys(l.may)), strings.Join(l.story[max(0, len(l.story)-8):], "; "))
}

// settlerBlocks are what settlers build with.
var settlerBlocks = []world.Block{world.Bricks, world.OakPlanks, world.Cobblestone, world.Stone}

// settler is a player at the corner who changes lots on all sides, comes in by
// one node after another, and knows what was acknowledged. What it sees when it
// comes in it compares with that.
type settler struct {
	session
	c       *cluster
	rand    rng.Rand
	lots    []*lot
	purse   purse
	common  common
	quiet   bool
	held    int // blocks in its hand
	pending map[uint32]*wish
	asked   map[world.RegionPos]machine.Time // when it began to watch
	heard   machine.Time                     // the home
	last    machine.Time                     // the node
	leaveAt machine.Time
	acked   int
	turn    world.Input
	wrong   []string
}

// wish is an act that has no answer yet.
type wish struct {
	lot    *lot
	deal   deal
	shared world.ActKind // what it does to a chest or a door
	before map[world.Block]bool
	block  world.Block
	at     machine.Time
	story  int
}

const (
	settlerSilence = 5 * time.Second
	settlerLost    = 15 * time.Second // as a browser's pings notice a node that is gone
)

func newSettler(c *cluster, env machine.Env, number, of int) *settler {
	w := &settler{
		session: newSession(env, machine.Peer{}, fmt.Sprint("settler", number)), c: c, rand: *env.Rand(),
		pending: map[uint32]*wish{}, asked: map[world.RegionPos]machine.Time{},
	}
	for x := int32(-cornerSize); x < cornerSize; x++ {
		for z := int32(-cornerSize); z < cornerSize; z++ {
			if int(x+3*z+4*cornerSize)%of == number {
				w.lots = append(w.lots, &lot{at: corner.Add(x, 0, z), may: map[world.Block]bool{world.Air: true}})
			}
		}
	}
	return w
}

func (w *settler) Start() {
	w.move()
	w.env.SetTimer(w.env.Now().Add(region.TickLength), machine.Timer{Kind: timerStep})
}

// move comes in by a node that runs.
func (w *settler) move() {
	w.node, w.last = machine.Peer{}, w.env.Now()
	w.leaveAt = w.env.Now().Add(time.Duration(3+w.rand.Intn(20)) * time.Second)
	var up []machine.Peer
	for i, n := range w.c.nodes {
		if n.Machine() != nil && !n.Frozen() {
			up = append(up, nodePeer(i))
		}
	}
	if len(up) > 0 {
		w.node = up[w.rand.Intn(len(up))]
		w.env.Open(w.node)
	}
}

func (w *settler) OnLink(p machine.Peer, ev machine.LinkEvent) {
	if p != w.node {
		if ev == machine.LinkUp { // too late
			w.env.Close(p)
		}
		return
	}
	w.session.OnLink(p, ev)
	w.unclear()
	w.held = 0
	w.heard, w.last = w.env.Now(), w.env.Now()
	if ev != machine.LinkUp {
		w.leaveAt = w.env.Now().Add(500 * time.Millisecond)
	}
}

// unclear is when what was asked for may be done, or not, or later.
func (w *settler) unclear() {
	for _, seq := range slices.Sorted(maps.Keys(w.pending)) {
		w.purse.unclear(w.pending[seq].deal)
		w.end(seq, "unclear")
	}
}

func (w *settler) end(seq uint32, how string) {
	p := w.pending[seq]
	delete(w.pending, seq)
	if p.lot != nil {
		p.lot.story[p.story] += fmt.Sprintf("–%.2f %s", w.since(w.env.Now()), how)
	}
}

func (w *settler) since(t machine.Time) float64 { return t.Sub(singleNodeStart).Seconds() }

func (w *settler) OnMessage(from machine.Peer, m machine.Message) {
	if from != w.node {
		return
	}
	w.last = w.env.Now()
	switch m.(type) {
	case *region.Frame, *region.Columns:
	default:
		w.debug("%T %+v", m, m)
	}
	w.receive(m)
	switch m := m.(type) {
	case *region.ActResult:
		w.answered(m)
	case *region.Entered:
		w.heard = w.env.Now()
		w.lookAround()
	case *region.NewHost:
		w.asked[m.Region] = w.env.Now()
	case *region.Inventory:
		if m.Region == w.home {
			w.count(m)
		}
	case *region.Columns:
		w.compare(m)
	case *region.Frame:
		if m.Region == w.home && w.takes && (m.Own.HasAck || m.Own.Corrected) { // otherwise it may not have heard the last Enter
			w.heard = w.env.Now()
		}
	}
}

// timerLook lets a settler look around.
const timerLook = 99

func (w *settler) lookAround() {
	for dx := range int32(2) {
		for dz := range int32(2) {
			w.look(corner.Add(-dx, 0, -dz).Column().Region())
		}
	}
}

func (w *settler) look(r world.RegionPos) {
	w.asked[r] = w.env.Now()
	w.watch(r, region.RateNone)
	w.watch(r, region.RateEvery)
}

// compare looks at columns that have been asked for since the last edit was
// answered. Others may have been on their way for longer than the answer, which
// another region may bring; frames with the edit follow.
func (w *settler) compare(m *region.Columns) {
	for _, l := range w.lots {
		if l.at.Column().Region() != m.Region || l.asked >= w.asked[m.Region] {
			continue
		}
		for _, c := range m.Columns {
			if c.Column.Pos != l.at.Column() {
				continue
			}
			if b := c.Column.At(int(l.at.X&31), int(l.at.Y), int(l.at.Z&31)); !l.may[b] {
				w.wrong = append(w.wrong, fmt.Sprintf("%.2f s: %s sees %v, %v", w.since(w.env.Now()), w.name, b, l))
			}
		}
	}
}

func (w *settler) answered(m *region.ActResult) {
	p := w.pending[m.Seq]
	if p == nil || w.results[m.Seq] != m {
		return
	}
	switch {
	case p.shared != 0:
		w.wasShared(p.shared, m)
	case p.deal != 0:
		w.dealt(p.deal, m)
	case m.OK && p.lot == nil:
		w.held++
	case p.lot == nil:
	case m.OK:
		p.lot.may = map[world.Block]bool{p.block: true}
		w.acked++
	default:
		p.lot.may = p.before // for certain not done
	}
	if p.lot != nil {
		p.lot.asked = w.env.Now()
	}
	how := "done"
	if !m.OK {
		how = m.Reason
	}
	w.end(m.Seq, how)
}

func (w *settler) OnTimer(t machine.Timer) {
	if t.Kind == timerLook {
		w.lookAround()
		return
	}
	if t.Kind != timerStep {
		return
	}
	now := w.env.Now()
	w.env.SetTimer(now.Add(region.TickLength), t)
	if now >= w.leaveAt && !w.quiet || now >= w.leaveAt && !w.link || now.Sub(w.last) > settlerLost {
		if w.link {
			w.env.Close(w.node)
		}
		w.OnLink(w.node, machine.LinkClosed)
		w.move()
		return
	}
	if w.in && w.link {
		w.live()
	}
	w.askLate()
	if w.admitted && now.Sub(w.heard) > settlerSilence { // as client.Session.recover
		w.heard = now
		w.newHost(w.home)
	}
}

// live is one step of a settler's life: it strolls about the corner and edits.
func (w *settler) live() {
	if w.rand.OneIn(30) {
		w.turn = world.Input{}
		d := corner.Centre().Sub(w.pos)
		if remote := d.X.Abs() + d.Z.Abs(); w.rand.OneIn(3) || remote > 3*fixed.One {
			w.turn = world.Input{Buttons: world.ButtonForward | world.ButtonJump, Yaw: world.Angle(d.X, d.Z) + uint16(w.rand.Intn(1<<13))}
		}
	}
	in := w.turn
	if w.quiet {
		in.Buttons = 0
	}
	w.step(in)
	switch {
	case w.quiet:
	case w.held < len(hand()):
		if len(w.pending) == 0 {
			w.ask(nil, 0, w.act(world.ActPick, world.Pos{}, 0, int(hand()[w.held]), w.held))
		}
	case w.rand.OneIn(4):
		w.trade()
	case w.rand.OneIn(4) && len(w.pending) < 3:
		w.share()
	case w.rand.OneIn(4) && len(w.pending) < 3:
		w.edit(w.lots[w.rand.Intn(len(w.lots))])
	}
}

func (w *settler) edit(l *lot) {
	for _, p := range w.pending {
		if p.lot == l {
			return
		}
	}
	slot := w.rand.Intn(len(settlerBlocks))
	dig := !l.may[world.Air] || len(l.may) > 1 && w.rand.OneIn(2)
	if dig {
		w.ask(l, world.Air, w.act(world.ActDig, l.at, 1, 0, 0))
	} else {
		w.ask(l, settlerBlocks[slot], w.act(world.ActPlace, l.at.Add(0, -1, 0), 1, slot, 0))
	}
}

func (w *settler) ask(l *lot, b world.Block, seq uint32) {
	p := &wish{lot: l, block: b, at: w.env.Now()}
	w.pending[seq] = p
	if l != nil {
		p.before, p.story = maps.Clone(l.may), len(l.story)
		l.may[b] = true
		l.asked = p.at
		l.story = append(l.story, fmt.Sprintf("%v from %v in %v@%d %.2f", b, w.node.ID.Short(), w.home, w.epoch, w.since(p.at)))
	}
}

// addSettler adds a settler, of so many.
func (c *cluster) addSettler(number, of int) *settler {
	peer := machine.Peer{ID: id.Of(fmt.Append(nil, "settler ", number))}
	n := c.s.AddAs(peer, func(env machine.Env) machine.Machine { return newSettler(c, env, number, of) })
	return n.Machine().(*settler)
}

var debugName string

func (w *settler) debug(format string, args ...any) {
	if w.name == debugName {
		w.c.Logf("DBG %.2f %s: %s", w.since(w.env.Now()), w.node.ID.Short(), fmt.Sprintf(format, args...))
	}
}
