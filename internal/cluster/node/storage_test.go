package node

import (
	"crypto/ed25519"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

// storedWorld is a realm that keeps its world in the storage, with the one replay of
// what its nodes find out that players have done.
type storedWorld struct {
	*verifiedWorld
	rules   *voxelrules.Rules
	shape   state.World
	begin   machine.Time
	forgers []*forger // of each node; nil: it is honest
	proofs  []*verifiedworld.Contradiction
	said    map[int64]map[id.ID]map[string]*told
	woken   map[int64][]func()
	once    *voxelrules.Sequence
	at      int64 // update that once is at
	makers  []*maker
	kept    []*messages.Push // stands for what is on disks, as there is no codec
	down    bool             // updates cannot be made
}

// told is a batch that nodes were told of.
type told struct {
	batch *state.Batch
	count int
}

// maker is a player who digs and builds, at a node.
type maker struct {
	node      int
	seq, tick uint64
	r         rng.Rand
}

func newStoredWorld(t *testing.T, nodes int, forging ...int) *storedWorld {
	rules := voxelrules.New(voxelrules.Config{Seed: 7, Regions: 4, Mode: world.Creative})
	a := &storedWorld{
		verifiedWorld: emptyVerifiedWorld(t, 3, rules), begin: machine.Time(singleNodeStart).Add(time.Minute),
		said: map[int64]map[id.ID]map[string]*told{}, woken: map[int64][]func(){}, rules: rules,
	}
	a.shape, a.once = a.rules.World(), a.rules.Sequence()
	a.verifiedWorld.truth = func(i int) *verifiedworld.StorageConfig {
		t := &verifiedworld.StorageConfig{
			Rules: a.rules, Protocol: storage.ProtocolHardened, Begin: a.begin,
			Sign:   func(m *verifiedworld.Answer) error { signAnswer(m, i); return nil },
			Signed: a.signedAnswer, Probe: a,
			Report: func(c *verifiedworld.Contradiction) { a.proofs = append(a.proofs, c) },
			Encode: func(m *messages.Push) ([]byte, error) {
				a.kept = append(a.kept, m)
				return binary.BigEndian.AppendUint32(nil, uint32(len(a.kept)-1)), nil
			},
			Decode: func(b []byte) (*messages.Push, error) { return a.kept[binary.BigEndian.Uint32(b)], nil },
		}
		if a.forgers[i] != nil {
			t.Behaviour = a.forgers[i]
		}
		return t
	}
	space := overlay.SpaceFor(4)
	eighth := space.SubSide() / 8
	for i := range nodes {
		low, at := space.SubArea(i%4).Min, [][2]int32{{2, 2}, {6, 3}, {3, 6}}[i/4]
		a.certify(geom.Point{X: low.X + at[0]*eighth + int32(i), Y: low.Y + at[1]*eighth})
		var f *forger
		if slices.Contains(forging, i) {
			f = &forger{rules: a.rules, alters: i%8 == 0}
		}
		a.forgers = append(a.forgers, f)
	}
	for i := range nodes {
		a.add(i)
	}
	return a
}

// answerText is what an answer says, for signing where there is no codec.
func answerText(m *verifiedworld.Answer) []byte {
	if r, ok := m.Result.(*messages.ActionsResult); ok {
		b := binary.AppendVarint(binary.AppendUvarint([]byte("actions"), r.Query), r.Batch.Of)
		for _, x := range r.Batch.Actions {
			b = append(b, x.Body...)
		}
		return b
	}
	r := m.Result.(*messages.Result)
	b := binary.AppendUvarint([]byte("answer"), r.Query)
	if r.Sent != nil {
		return fmt.Append(b, r.Sent.Of, r.Sent.Cover, r.Sent.Unsure, r.Sent.Tags, r.Sent.Same, r.Sent.Check, r.Sent.Activated)
	}
	if r.Seen != nil {
		b = binary.AppendVarint(b, r.Seen.Of)
		for _, c := range r.Seen.Cells {
			b = append(b, 0)
			if c != nil {
				for _, o := range c.Objects {
					b = append(b, o.Digest[:]...)
				}
			}
		}
	}
	return b
}

func signAnswer(m *verifiedworld.Answer, i int) {
	key := testKey(fmt.Sprint("node ", i))
	m.Signature = [64]byte(ed25519.Sign(key, answerText(m)))
}

func (a *storedWorld) signedAnswer(m *verifiedworld.Answer) bool {
	return m.Certificate.IssuedFor(&a.genesis) && ed25519.Verify(m.Certificate.Key[:], answerText(m), m.Signature[:])
}

// Retrieved implements storage.Probe: what nodes are told that a player has done.
func (a *storedWorld) Retrieved(r storage.Report) {
	if r.Kind != messages.ForActions || len(r.Batches) == 0 {
		return
	}
	b, text := r.Batches[0], ""
	for _, x := range b.Actions {
		text += fmt.Sprintf("%d %d %x\n", x.Seq, x.At, x.Body)
	}
	if a.said[r.Of] == nil {
		a.said[r.Of] = map[id.ID]map[string]*told{}
	}
	if a.said[r.Of][b.Player.ID] == nil {
		a.said[r.Of][b.Player.ID] = map[string]*told{}
	}
	v := a.said[r.Of][b.Player.ID][text]
	if v == nil {
		v = &told{batch: b}
		a.said[r.Of][b.Player.ID][text] = v
	}
	v.count++
}

// BatchSigned implements storage.Probe.
func (*storedWorld) BatchSigned(*state.Batch) {}

// Arrived implements storage.Probe.
func (*storedWorld) Arrived(storage.Arrival, int) {}

// Failed implements storage.Probe.
func (a *storedWorld) Failed(n *storage.Node, of int64) {
	if !a.down {
		a.Errorf("%s could not make update %d", n.Self().ID.Short(), of)
	}
}

const truthInterval = 5 * storage.DefaultLMax

func (a *storedWorld) update(of int64) machine.Time {
	return a.begin.Add(time.Duration(of) * truthInterval)
}

// with calls a function with a node's storage.
func (a *storedWorld) with(i int, f func(*storage.Node)) {
	a.nodes[i].Call(func() {
		if !a.node(i).WithStorage(f) {
			a.Fatalf("node %d has no storage", i)
		}
	})
}

// come lets a player at a node come into the world.
func (a *storedWorld) come(i int, at geom.Point) {
	m := &maker{node: i, r: rng.New(uint64(i), 5)}
	a.makers = append(a.makers, m)
	a.with(i, func(n *storage.Node) {
		after, _ := n.Activation()
		of := int64(after.Sub(a.update(0)) / truthInterval)
		a.woken[of] = append(a.woken[of], func() { a.once.Activate(n.Player(), at) })
		n.Activate(at)
		m.tick = voxelrules.TickAt(after)
	})
}

// act lets a player do something for the ticks that have passed.
func (a *storedWorld) act(m *maker) {
	a.with(m.node, func(n *storage.Node) {
		s := n.State()
		body := voxelrules.NewView(s.Objects(&s.Cover, n.World(), nil)).Player(n.Player().ID)
		now := voxelrules.TickAt(a.s.Now())
		b := voxelrules.Batch{Join: true, First: m.tick + 1}
		for ; m.tick < now; m.tick++ {
			var do voxelrules.Moment
			if body != nil && m.tick%10 == 0 {
				on := body.Body.Pos.Block().Add(int32(m.r.Intn(5)-2), -1, int32(m.r.Intn(5)-2))
				do.Act = world.Act{Kind: world.ActPlace, At: on, Face: world.FaceUp, A: int64(m.r.Intn(3))}
				if m.r.OneIn(3) {
					do.Act = world.Act{Kind: world.ActDig, At: on, Face: world.FaceUp}
				}
			}
			b.Moments = append(b.Moments, do)
		}
		m.seq++
		n.Act(&state.Action{Player: n.Player(), Seq: m.seq, At: a.s.Now(), Body: b.AppendBinary(nil)})
	})
}

// until lets time pass to when everybody has the state of an update, and players
// act.
func (a *storedWorld) until(of int64) {
	end := a.update(of).Add(4 * storage.DefaultLMax)
	for a.s.Now() < end {
		a.s.Run(500 * time.Millisecond)
		for _, m := range a.makers {
			a.act(m)
		}
	}
}

// right compares what honest nodes hold with the one replay, which it continues.
func (a *storedWorld) right(what string, of int64) {
	a.Helper()
	a.until(of)
	for a.at < of {
		a.at++
		for _, wake := range a.woken[a.at-1] {
			wake()
		}
		var all []*state.Action
		for _, said := range a.said[a.at] {
			best, most := &state.Batch{}, 0
			for _, v := range said {
				if v.count > most {
					best, most = v.batch, v.count
				}
			}
			all = append(all, best.Actions...)
		}
		slices.SortFunc(all, func(x, y *state.Action) int {
			if x.Before(y) {
				return -1
			}
			return 1
		})
		a.once.Advance(a.update(a.at-1), a.update(a.at), all)
	}
	right := state.NewSnapshot(of, a.objects(), a.shape)
	for i := range a.nodes {
		if a.forgers[i] != nil {
			continue
		}
		s := a.node(i).net.verified.StorageNode().State()
		if s == nil || s.Of != of || s.UnsureCells() > 0 || !s.Agrees(right, &s.Cover, a.shape) {
			a.Errorf("%s: node %d does not hold the world at update %d", what, i, of)
		}
	}
	a.Logf("%s: update %d, %d blocks built", what, of, a.built())
}

func (a *storedWorld) objects() (all []*state.Object) {
	a.once.Cells(func(c geom.Rect) { all = append(all, a.once.Objects(c)...) })
	slices.SortFunc(all, func(x, y *state.Object) int {
		if x.ID < y.ID {
			return -1
		}
		return 1
	})
	return all
}

func (a *storedWorld) built() int { return len(voxelrules.NewView(a.objects()).Changed()) }

// forger is a node that tampers with what it stores, once it is told to: it
// leaves out what was built, or says that other blocks are there.
type forger struct {
	on, alters bool
	rules      *voxelrules.Rules
}

func (*forger) Intercept(*storage.Node, machine.Peer, machine.Message) bool { return false }

func (*forger) AnswerActions(_ *storage.Node, _ *overlay.Contact, _ *messages.RetrieveActions, m *messages.ActionsResult) *messages.ActionsResult {
	return m
}

func (*forger) Keep(*storage.Node, *state.Action) bool { return true }

func (*forger) Push(_ *storage.Node, _ *overlay.Contact, m *messages.Push) *messages.Push { return m }

func (f *forger) Answer(n *storage.Node, _ *overlay.Contact, _ *messages.Retrieve, honest *messages.Result) *messages.Result {
	if honest.Seen == nil || !f.on {
		return honest
	}
	c := honest.Seen.Encode(&honest.Area, n.World())
	var kept []*state.Object
	for _, o := range c.Objects {
		b := f.rules.AppendObject(nil, o)
		if b[0] == 2 { // a chunk's changes
			if !f.alters {
				continue
			}
			b[len(b)-1] ^= 1
			if changed, err := f.rules.DecodeObject(b); err == nil {
				o = changed
			}
		}
		kept = append(kept, o)
	}
	c.Objects = kept
	seen, err := state.DecodeSnapshot(honest.Seen.Of, &honest.Seen.Cover, &honest.Area, c, n.World())
	if err != nil {
		panic(err)
	}
	m := *honest
	m.Seen = seen
	return m.Seal(n.World())
}

// TestStorageOnNodes: ten nodes of a world with an authority keep it in the
// storage while players build: each holds what one replay of the accepted
// actions holds. Two tamper with what they store: the world stays right, there
// are proofs against the two and against nobody else, which the authority can
// check, and its revocation cuts them off.
func TestStorageOnNodes(t *testing.T) {
	a := newStoredWorld(t, 10, 4, 8)
	a.s.Run(a.update(0).Add(time.Second).Sub(a.s.Now()))
	for i, at := range []geom.Point{{X: 3, Y: 3}, {X: 5, Y: 3}, {X: 3, Y: 5}, {X: 5, Y: 5}} {
		a.come(i, geom.Point{X: at.X * a.shape.Side / 8, Y: at.Y * a.shape.Side / 8})
	}
	a.right("all are honest", 3)
	before := a.built()
	if before == 0 || len(a.proofs) > 0 {
		t.Fatalf("%d blocks were built, %d proofs against honest nodes", before, len(a.proofs))
	}

	a.forgers[4].on, a.forgers[8].on = true, true
	a.right("two tamper", 5)
	against := map[id.ID]int{}
	for _, p := range a.proofs {
		against[p.Accused.By()]++
		if err := p.Check(a.shape, overlay.SpaceFor(4), a.signedAnswer); err != nil {
			t.Fatalf("a proof does not hold: %v", err)
		}
	}
	if len(against) != 2 || against[a.certs[4].ID()] == 0 || against[a.certs[8].ID()] == 0 {
		t.Errorf("proofs: %v; want some against %s and %s, and nobody else", against, a.certs[4].ID().Short(), a.certs[8].ID().Short())
	}
	a.notProven(a.proofs[0])

	list := &identity.Revocations{World: a.genesis.World(), Version: 1, Serials: []uint64{5, 9}}
	if err := list.Sign(a.key); err != nil {
		t.Fatal(err)
	}
	a.nodes[2].Call(func() {
		if err := a.node(2).Revoke(list); err != nil {
			t.Error(err)
		}
	})
	a.right("the two are cut off", 7)
	for i := range a.nodes {
		if n := a.node(i); a.forgers[i] == nil && (n.net.verified.Place().Revoked != 1 || linkTo(n, a.certs[4].ID()) || linkTo(n, a.certs[8].ID())) {
			t.Errorf("node %d has not cut the two off", i)
		}
	}
	if s := a.node(1).Stats().Storage; s == nil || s.Of != 7 || s.Failed > 0 || len(s.Accused) != 2 || s.Unknown > 0 || s.Objects == 0 {
		t.Errorf("the figures of a node are %+v", s)
	} else {
		for who, x := range s.Accused {
			if !x.Cut || x.Proofs == 0 || x.Zones < 3 || x.Of < 3 || x.Of > 5 {
				t.Errorf("against %s stands %+v", who.Short(), x)
			}
		}
	}
	if now := a.built(); now <= before {
		t.Errorf("%d blocks are built in the end, %d before the tampering", now, before)
	}
}

func linkTo(n *Node, who id.ID) bool {
	f := n.net.links.Remotes[who]
	return f != nil && f.State == peers.Up
}

// notProven changes a proof so that it is none.
func (a *storedWorld) notProven(p *verifiedworld.Contradiction) {
	a.Helper()
	for name, change := range map[string]func(c *verifiedworld.Contradiction){
		"too few agree":            func(c *verifiedworld.Contradiction) { c.Others = c.Others[:2] },
		"one speaks twice":         func(c *verifiedworld.Contradiction) { c.Others[1] = c.Others[0] },
		"it is of another time":    func(c *verifiedworld.Contradiction) { c.Of++ },
		"the accused agrees":       func(c *verifiedworld.Contradiction) { c.Accused = c.Others[0] },
		"another cell is meant":    func(c *verifiedworld.Contradiction) { c.X += 100 },
		"the accused bears it out": func(c *verifiedworld.Contradiction) { c.Others[2] = c.Accused },
		"somebody speaks for two zones": func(c *verifiedworld.Contradiction) {
			moved, cert := *c.Others[1], *c.Others[1].Certificate
			cert.Pos, moved.Certificate = c.Others[0].Certificate.Pos, &cert
			c.Others[1] = &moved
		},
		"it is not signed": func(c *verifiedworld.Contradiction) {
			forged := *c.Accused
			forged.Signature[5] ^= 1
			c.Accused = &forged
		},
	} {
		c := *p
		c.Others = slices.Clone(p.Others)
		if change(&c); c.Check(a.shape, overlay.SpaceFor(4), a.signedAnswer) == nil {
			a.Errorf("a proof holds although %s", name)
		}
	}
}
