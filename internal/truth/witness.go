package truth

import (
	"encoding/binary"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/world"
)

// witness stands in a region for the players at a node: it has no body, and its
// signed edits are done to the region's blocks. It goes to a region beside at
// the end of a step, and is gone when nothing has been heard of it for a while.
// Frozen.
type witness struct {
	at     world.RegionPos
	idle   uint8
	heard  uint64  // the last tick of the step that it has spoken in last
	purses []purse // of the node's players, ascending by id; none if blocks are free
}

// bundle is the purse of a player whose witness has gone, where that was: who
// plays on from there, at whatever node, has it.
type bundle struct {
	at world.RegionPos
	purse
}

const (
	idleSteps = 6  // without a word, then a witness is gone
	maxPurses = 64 // of a witness
)

// WitnessOf returns the id of the object that is a node's witness.
func WitnessOf(node id.ID) storage.ObjectID {
	return tagWitness<<tagShift | storage.ObjectID(binary.BigEndian.Uint64(node[:8])>>4)
}

func (r *Rules) middle(pos world.RegionPos) geom.Point {
	return r.placeOfBlock(pos.Column(0).Origin().Add(world.RegionSize/2, 0, world.RegionSize/2))
}

// Middle returns where a region's middle is in the storage.
func (r *Rules) Middle(pos world.RegionPos) geom.Point { return r.middle(pos) }

// Holds reports whether a region is of the stored world.
func (r *Rules) Holds(pos world.RegionPos) bool { return r.inWindow(pos) }

func (r *Rules) newWitness(p *storage.Player, w *witness) *storage.Object {
	return r.make(&storage.Object{ID: WitnessOf(p.ID), Pos: r.middle(w.at), Player: p, State: w})
}

func (r *Rules) newBundle(b *bundle) *storage.Object {
	hash := rng.Hash(binary.BigEndian.Uint64(b.player[:8]), uint64(b.at.X), uint64(b.at.Z))
	return r.make(&storage.Object{ID: tagBundle<<tagShift | storage.ObjectID(hash>>4), Pos: r.middle(b.at), State: b})
}

// watcher is a witness in a step.
type watcher struct {
	player *storage.Player
	witness
	edits []Edit // that are left to do
	doing *Edit  // in this tick
	spoke bool   // there was a batch
	gone  bool
	to    world.RegionPos
	count bool // what players have is counted
}

func (r *Rules) watcher(p *storage.Player, w *witness, bodies [][]byte, from, to uint64) *watcher {
	out := &watcher{player: p, witness: *w, to: w.at, count: r.cfg.Mode == world.Survival}
	out.purses = slices.Clone(w.purses)
	for i := range out.purses {
		out.purses[i].items = slices.Clone(out.purses[i].items)
	}
	for _, body := range bodies {
		b, err := DecodeBatch(body)
		if err != nil || !b.Watch {
			continue
		}
		out.spoke, out.gone, out.to = true, b.Leave, b.To
		for _, e := range b.Edits {
			if n := len(out.edits); e.Tick > from && e.Tick <= to && (n == 0 || out.edits[n-1].Tick < e.Tick) {
				out.edits = append(out.edits, e)
			}
		}
	}
	return out
}

// purse returns that of a player; nil: the player does not play here.
func (w *watcher) purse(who id.ID) *purse {
	if i, ok := w.where(who); ok {
		return &w.purses[i]
	}
	return nil
}

func (w *watcher) where(who id.ID) (int, bool) {
	return slices.BinarySearchFunc(w.purses, who, func(p purse, who id.ID) int { return slices.Compare(p.player[:], who[:]) })
}

// commands appends what the witness has seen done in a tick, if its player can
// have done it.
func (w *watcher) commands(g *region, tick uint64, cmds []world.Command) []world.Command {
	w.doing = nil
	if len(w.edits) == 0 || w.edits[0].Tick != tick {
		return cmds
	}
	e := &w.edits[0]
	w.edits = w.edits[1:]
	p := w.purse(e.Player)
	kind := world.RemoteBreak
	switch e.Kind {
	case EditCome:
		w.come(g, e.Player)
		return cmds
	case EditGo:
		w.leave(g, e.Player)
		return cmds
	case EditCraft:
		if p != nil {
			p.craft(e.Recipe, e.Times)
		}
		return cmds
	case EditPlace:
		kind = world.RemotePlace
		if w.count && counted[e.Block] && (p == nil || p.count(e.Block) == 0) {
			return cmds
		}
	}
	w.doing = e
	return append(cmds, world.Command{Player: w.player.ID, Kind: world.CmdSigned, Seq: uint32(tick), Remote: &world.Remote{
		Kind: kind, From: g.area.Pos(), Player: e.Player, Seq: uint32(tick), At: e.At, Block: e.Block,
	}})
}

// settle counts what the tick's edit has brought its player, and cost it.
func (w *watcher) settle(results []world.Result) {
	if w.doing == nil || !w.count {
		return
	}
	p := w.purse(w.doing.Player)
	for i := range results {
		if x := &results[i]; x.Kind == world.CmdSigned && x.Player == w.player.ID && x.Did != nil && p != nil {
			if x.Did.Kind == world.RemoteBreak {
				p.add(x.Did.Got, 1)
			} else {
				p.add(x.Did.Block, -1)
			}
		}
	}
}

// come lets a player play at the witness's node: with what it has left behind
// here, or else with what newcomers are given.
func (w *watcher) come(g *region, who id.ID) {
	i, here := w.where(who)
	if here || !w.count || len(w.purses) >= maxPurses {
		return
	}
	p := purse{player: who}
	if j := slices.IndexFunc(g.bundles, func(p purse) bool { return p.player == who }); j >= 0 {
		p = g.bundles[j]
		p.items = slices.Clone(p.items)
		g.bundles = slices.Delete(g.bundles, j, j+1)
	} else {
		for _, s := range world.NewPlayer(who, "", world.Survival, world.Vec{}).Items {
			p.add(s.Block, int64(s.Count))
		}
	}
	w.purses = slices.Insert(w.purses, i, p)
}

// leave puts a player's purse down.
func (w *watcher) leave(g *region, who id.ID) {
	if i, ok := w.where(who); ok {
		g.put(w.purses[i])
		w.purses = slices.Delete(w.purses, i, i+1)
	}
}

// put adds a purse to those that lie here; one of the same player, which only
// who plays at two nodes can bring about, is replaced.
func (g *region) put(p purse) {
	g.bundles = slices.DeleteFunc(g.bundles, func(q purse) bool { return q.player == p.player })
	g.bundles = append(g.bundles, p)
}

// goOn is the witness after the step; nil: it is gone, and what its players have
// lies here.
func (r *Rules) goOn(g *region, w *watcher, pos world.RegionPos) *storage.Object {
	next := &witness{at: w.at, idle: w.idle + 1, heard: w.heard, purses: w.purses}
	if w.spoke {
		next.idle, next.heard = 0, g.to
		if near(w.at, w.to) && r.inWindow(w.to) {
			next.at = w.to
		}
	}
	if w.gone || next.idle > idleSteps {
		for _, p := range w.purses {
			g.put(p)
		}
		return nil
	}
	return r.newWitness(w.player, next)
}

func appendPurse(out []byte, p *purse) []byte {
	out = appendUints(append(out, p.player[:]...), uint64(len(p.items)))
	for _, x := range p.items {
		out = appendUints(out, uint64(x.block), uint64(x.count))
	}
	return out
}

func readPurse(in *reader) (p purse) {
	p.player = id.ID(in.take(id.Size))
	for range in.uint(uint64(world.BlockCount)) {
		x := item{in.block(), uint32(in.uint(maxItems))}
		if n := len(p.items); in.bad || x.count == 0 || !counted[x.block] || n > 0 && p.items[n-1].block >= x.block {
			in.bad = true
			break
		}
		p.items = append(p.items, x)
	}
	return p
}

func appendWitness(out []byte, p *storage.Player, w *witness) []byte {
	out = append(out, p.ID[:]...)
	out = binary.BigEndian.AppendUint32(out, uint32(p.Home.X))
	out = binary.BigEndian.AppendUint32(out, uint32(p.Home.Y))
	out = append(appendInts(out, int64(w.at.X), int64(w.at.Z)), w.idle)
	out = appendUints(out, w.heard, uint64(len(w.purses)))
	for i := range w.purses {
		out = appendPurse(out, &w.purses[i])
	}
	return out
}

func (r *Rules) decodeWitness(in *reader) (*storage.Object, error) {
	who := id.ID(in.take(id.Size))
	x, y := in.take(4), in.take(4)
	if in.bad {
		return nil, errFields
	}
	home := geom.Point{X: int32(binary.BigEndian.Uint32(x)), Y: int32(binary.BigEndian.Uint32(y))}
	w := &witness{at: world.RegionPos{X: in.int32(), Z: in.int32()}, idle: in.byte(), heard: in.uint(1 << 62)}
	for range in.uint(maxPurses) {
		p := readPurse(in)
		if n := len(w.purses); in.bad || n > 0 && slices.Compare(w.purses[n-1].player[:], p.player[:]) >= 0 {
			return nil, errFields
		}
		w.purses = append(w.purses, p)
	}
	if !in.end() || !r.inWindow(w.at) || w.idle > idleSteps {
		return nil, errFields
	}
	return r.newWitness(r.player(who, home), w), nil
}

func (r *Rules) decodeBundle(in *reader) (*storage.Object, error) {
	b := &bundle{at: world.RegionPos{X: in.int32(), Z: in.int32()}}
	b.purse = readPurse(in)
	if !in.end() || !r.inWindow(b.at) {
		return nil, errFields
	}
	return r.newBundle(b), nil
}
