package codec_test

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/net/codec"
	"github.com/voxelpopuli/voxelpopuli/internal/net/codec/codectest"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim"
	"github.com/voxelpopuli/voxelpopuli/internal/net/sim/simtest"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/voxelrules"
)

// wires is a simulated network of storage nodes whose messages are made into bytes
// and read again, as between real nodes.
type wires struct {
	*testing.T
	codec        *codec.Codec
	carry        func(machine.Message) machine.Message
	sizes        map[string]*[3]int // by kind: bytes, what simulations charge, and messages
	brief, named int                // receipts of storers that are known, and that are named
}

// cable is a node's end of it.
type cable struct {
	machine.Env
	w *wires
}

func (c cable) Send(to machine.Peer, m machine.Message) {
	c.w.measure(m)
	c.Env.Send(to, c.w.carry(m))
}

// measure notes what the storage's part of a message takes.
func (w *wires) measure(m machine.Message) {
	var body machine.Message
	switch m := m.(type) {
	case *overlay.Unicast:
		body = m.Body
	case *overlay.Areacast:
		body = m.Body
	}
	if body == nil {
		return
	}
	b, err := w.codec.Append(nil, body)
	if err != nil {
		w.Fatal(err)
	}
	read, err := w.codec.Decode(b)
	if err != nil {
		w.Fatal(err)
	}
	if again, err := w.codec.Append(nil, read); err != nil || !bytes.Equal(again, b) {
		w.Errorf("what was read of a %T is not what was written (%v)", body, err)
	}
	switch m := body.(type) {
	case *messages.Receipt:
		w.receipts(m)
	case *messages.Certified:
		w.receipts(m.Certificate.Receipts...)
	case *messages.ActionsResult:
		if m.Certificate != nil {
			w.receipts(m.Certificate.Receipts...)
		}
	}
	name := reflect.TypeOf(body).Elem().Name()
	s := w.sizes[name]
	if s == nil {
		s = new([3]int)
		w.sizes[name] = s
	}
	s[0] += len(b)
	s[1] += body.(interface{ Size() int }).Size()
	s[2]++
}

func (w *wires) receipts(list ...*messages.Receipt) {
	for _, r := range list {
		if r.By == nil {
			w.brief++
		} else {
			w.named++
		}
	}
}

// TestLongStorageOverBytes: nodes of the hardened storage that understand each other
// by bytes alone hold what one replay of the accepted actions holds, and what they
// say takes what simulations charge for it, within a hundredth, or less.
func TestLongStorageOverBytes(t *testing.T) {
	simtest.Long(t)
	w, wrong := wired(t, true, false)
	for _, what := range wrong {
		t.Error(what)
	}
	for name, size := range w.sizes {
		t.Logf("%-16s %8d bytes in %6d messages, charged %8d", name, size[0], size[2], size[1])
		allowed := size[1] + size[1]/100 + 2*size[2]
		switch name {
		case "Retrieve", "Result", "Fetch", "Blocks", "Seek", "Sought":
			// Of the number of the kind, which takes two bytes, one is charged, and of
			// woken characters nothing for how long they are.
		case "Deposit", "Store": // the player's key is not charged, for who signs has shown it elsewhere
			allowed += 32 * size[2]
		}
		if size[0] > allowed {
			t.Errorf("%s takes %d bytes, and simulations charge %d", name, size[0], size[1])
		}
	}
	t.Logf("%d receipts of storers that are known, %d with their certificates", w.brief, w.named)
	if 2*w.brief < w.named { // in the first of three intervals all are named
		t.Errorf("of %d receipts only %d are brief", w.brief+w.named, w.brief)
	}
	for _, name := range []string{"Retrieve", "Result", "Fetch", "Blocks", "Deposit", "Receipt", "Certified"} {
		if w.sizes[name] == nil {
			t.Errorf("nobody has sent a %s", name)
		}
	}
}

// TestLongNobodySaysThatOthersDidNothing: who passes messages on can tell all storers,
// in a player's name and before it does, that it has done nothing in an interval.
// As batches bear their players' signatures nobody believes it; without, everybody
// does.
func TestLongNobodySaysThatOthersDidNothing(t *testing.T) {
	simtest.Long(t)
	if _, wrong := wired(t, true, true); len(wrong) > 0 {
		t.Errorf("it was believed: %v", wrong)
	}
	if _, wrong := wired(t, false, true); len(wrong) == 0 {
		t.Error("without signatures it was not believed either: nothing is tested")
	}
}

// certificate stands for that of a node.
func certificate(c *overlay.Contact) []byte {
	sum := id.Of(c.ID[:])
	return append(make([]byte, identity.CertificateSize-len(sum)), sum[:]...)
}

// mark stands for a signature of a batch: what else it is of.
func mark(of string, b *state.Batch, size int) []byte {
	text := fmt.Append(nil, of, b.Player.ID, b.Of)
	for _, a := range b.Actions {
		text = fmt.Append(text, a.Seq, a.At, a.Body)
	}
	sum := id.Of(text)
	return append(make([]byte, size-len(sum)), sum[:]...)
}

// wired lets sixteen nodes run the storage over bytes while three of them play,
// and returns what is wrong in the end. Forged: in an interval somebody deposits
// in the players' names that they have done nothing.
func wired(t *testing.T, signed, forged bool) (w *wires, wrong []string) {
	const nodes, last = 16, 4
	begin := machine.Time(2 * time.Minute)
	interval := 5 * storage.DefaultLMax
	rules := voxelrules.New(voxelrules.Config{Seed: 7, Regions: 8, Mode: world.Creative}) // all in one goroutine
	space := overlay.SpaceFor(4)
	w = &wires{T: t, sizes: map[string]*[3]int{}, codec: codec.NewVerified(codec.Verified{Rules: rules, Bounds: space.Bounds()})}
	w.carry = codectest.Carry(w.codec)
	in := sim.ThesisInternet()
	s := sim.NewWith(3, sim.Config{Internet: in})
	boot := sim.NewBootstrap(s, 4, func(c *overlay.Contact) int { return space.Zone(c.Pos) })
	r := rng.New(3, 1)
	places := space.Raster(200, &r)
	once := rules.Sequence()
	shape := rules.World()
	var machines []*sim.Node
	var acts []*state.Action
	node := func(i int) *storage.Node { return machines[i].Machine().(*storage.Node) }
	for i := range nodes {
		self := &overlay.Contact{ID: id.Of(fmt.Appendf(nil, "node %d", i)), Addr: machine.Addr{10: 255, 11: 255, 12: 127, 15: byte(i), 17: 9}, Pos: places[i]}
		machines = append(machines, s.AddAs(self.Peer(), func(env machine.Env) machine.Machine {
			return storage.New(storage.Config{
				Overlay:  overlay.Config{Self: self, Space: space, Seek: boot.Seek, Announce: func(on bool) machine.Job { return boot.Announce(self, on) }},
				Protocol: storage.ProtocolHardened, Begin: begin,
				Settings: part.Settings{
					Rules: rules, Wire: true, Secret: self.ID[:],
					Player:    &state.Player{ID: self.ID, Home: state.Home(space, shape, self.Pos)},
					SignBatch: func(b *state.Batch) []byte { return mark("batch", b, 96) },
					CheckBatch: func(b *state.Batch) bool {
						return !signed || slices.Equal(b.Signature, mark("batch", b, 96))
					},
					SignReceipt: func(r *messages.Receipt) {
						r.Certificate, r.Signature = certificate(r.By), mark(r.By.ID.String(), r.Batch, 64)
					},
					CheckReceipt: func(r *messages.Receipt) bool {
						return slices.Equal(r.Certificate, certificate(r.By)) && slices.Equal(r.Signature, mark(r.By.ID.String(), r.Batch, 64))
					},
				},
			}, cable{env, w})
		}))
	}
	at := func(i int) geom.Point {
		return geom.Point{X: int32(3+i) * shape.Side / 8, Y: 3 * shape.Side / 8}
	}
	update := func(of int) machine.Time { return begin.Add(time.Duration(of) * interval) }
	var ticks [3]uint64
	var come []*state.Player // who takes part after t_1
	for of := range last + 1 {
		s.Run(update(of).Add(time.Second).Sub(s.Now()))
		for i := range ticks {
			machines[i].Call(func() {
				n := node(i)
				if of == 1 {
					after, _ := n.Activation()
					wakes := int((after.Sub(begin)) / interval)
					if wakes != of {
						t.Fatalf("who comes in interval %d takes part from %d on", of, wakes)
					}
					come = append(come, n.Player())
					n.Activate(at(i))
					ticks[i] = voxelrules.TickAt(after)
				}
				if of == 0 {
					return
				}
				b := voxelrules.Batch{Join: true, First: ticks[i] + 1}
				end := voxelrules.TickAt(update(of).Add(9 * time.Second))
				for ; ticks[i] < end; ticks[i]++ {
					var do voxelrules.Moment
					if ticks[i]%10 == 0 {
						on := world.Pos{}
						if p := voxelrules.NewView(n.State().Objects(&n.State().Cover, n.World(), nil)).Player(n.Player().ID); p != nil {
							on = p.Body.Pos.Block().Add(int32(r.Intn(5)-2), -1, int32(r.Intn(5)-2))
						}
						do.Act = world.Act{Kind: world.ActPlace, At: on, Face: world.FaceUp}
					}
					b.Moments = append(b.Moments, do)
				}
				body := b.AppendBinary(nil)
				a := &state.Action{Player: n.Player(), Seq: uint64(of), At: update(of).Add(9 * time.Second), Body: body, Signature: make([]byte, 96)}
				a.Size = len(body) + 106
				acts = append(acts, a)
				n.Act(a)
			})
		}
		if forged && of == 3 {
			for i := range ticks {
				nothing, err := state.NewBatch(node(i).Player(), int64(of+1), nil)
				if err != nil {
					t.Fatal(err)
				}
				for k := range machines {
					u := &overlay.Unicast{Route: overlay.Route{Origin: node(i).Self(), Seq: 1 << 30, Dest: places[k]}, Body: &messages.Deposit{Batch: nothing.Signed([]byte("forged"))}}
					machines[k].Call(func() { node(k).OnMessage(node(k).Overlay().Linked(nil)[0].Peer(), u) })
				}
			}
		}
	}
	s.Run(update(last).Add(3*storage.DefaultLMax + time.Second).Sub(s.Now()))
	for of := 1; of <= last; of++ {
		var now []*state.Action
		for _, a := range acts {
			if a.At > update(of-1) && a.At <= update(of) {
				now = append(now, a)
			}
		}
		slices.SortFunc(now, func(x, y *state.Action) int {
			if x.Before(y) {
				return -1
			}
			return 1
		})
		if of == 2 {
			for i, p := range come {
				once.Activate(p, at(i))
			}
		}
		once.Advance(update(of-1), update(of), now)
	}
	var all []*state.Object
	once.Cells(func(c geom.Rect) { all = append(all, once.Objects(c)...) })
	slices.SortFunc(all, func(x, y *state.Object) int {
		if x.ID < y.ID {
			return -1
		}
		return 1
	})
	right := state.NewSnapshot(last, all, shape)
	for i := range nodes {
		st := node(i).State()
		if st == nil || st.Of != last || st.UnsureCells() > 0 || !st.Agrees(right, &st.Cover, shape) {
			wrong = append(wrong, fmt.Sprintf("node %d does not hold the world at update %d", i, last))
		}
	}
	if built := len(voxelrules.NewView(all).Changed()); built == 0 {
		t.Error("nothing was built")
	}
	return w, wrong
}
