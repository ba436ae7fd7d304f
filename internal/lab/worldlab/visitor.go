package worldlab

import (
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// visitor is a player in the simulator with a script drawn from a seed: it
// walks about, jumps, places blocks and digs. It speaks the messages of the
// lobby and of the regions, as a session does.
type visitor struct {
	env    machine.Env
	node   machine.Peer
	player id.ID
	name   string
	rand   rng.Rand

	entered  bool
	home     world.RegionPos
	body     world.Body
	seq      uint32
	acts     region.Acts
	built    int
	yaw      uint16
	buttons  uint16
	watching world.RegionPos

	edits, refusals, handovers int
}

func newVisitor(env machine.Env, n machine.Peer, seed uint64, number int) *visitor {
	name := fmt.Sprintf("visitor %d", number)
	return &visitor{env: env, node: n, player: id.Of([]byte(name)), name: name, rand: rng.New(seed, 0x7151, uint64(number))}
}

// Start implements machine.Machine.
func (v *visitor) Start() { v.env.Open(v.node) }

// OnLink implements machine.Machine.
func (v *visitor) OnLink(_ machine.Peer, ev machine.LinkEvent) {
	if ev == machine.LinkUp {
		v.env.Send(v.node, &lobby.Enter{Player: v.player, Name: v.name})
	}
}

// OnMessage implements machine.Machine.
func (v *visitor) OnMessage(_ machine.Peer, m machine.Message) {
	switch m := m.(type) {
	case *lobby.Admitted:
		v.to(m.Home, v.acts.Enter(&region.Enter{
			Player: m.Player, Entity: m.Entity, Name: m.Name, Mode: m.Mode, Operator: m.Operator, New: m.New,
		}))
	case *region.Entered:
		first := !v.entered
		v.entered, v.home, v.body.Pos = true, m.Region, m.Position
		v.askAgain()
		v.watch()
		if first {
			v.env.SetTimer(v.env.Now().Add(region.TickLength), machine.Timer{})
		}
	case *region.Moved:
		v.home = m.To
		v.askAgain()
		v.handovers++
		v.watch()
	case *region.Frame:
		if m.Own.Corrected {
			v.body.Pos = m.Own.Position
		}
	case *region.ActResult:
		switch {
		case !v.acts.Complete(m):
		case m.OK:
			v.edits++
		default:
			v.refusals++
		}
	}
}

// OnDone implements machine.Machine.
func (v *visitor) OnDone(uint64, any, error) {}

func (v *visitor) to(r world.RegionPos, m machine.Message) {
	v.env.Send(v.node, &region.To{Region: r, Msg: m})
}

// watch looks at the home region and no longer at the one before.
func (v *visitor) watch() {
	if v.watching != v.home {
		v.to(v.watching, &region.Watch{})
	}
	v.watching = v.home
	all := &region.Watch{}
	for i := range all.Rates {
		all.Rates[i] = region.RateEvery
	}
	v.to(v.home, all)
}

// OnTimer is a tick of the script. The visitor does not know its own body: it
// claims to stand at the origin, and the region tells it better.
func (v *visitor) OnTimer(machine.Timer) {
	v.env.SetTimer(v.env.Now().Add(region.TickLength+time.Duration(v.rand.Intn(2e6))), machine.Timer{})
	if v.rand.OneIn(30) {
		v.yaw = uint16(v.rand.Uint64())
		v.buttons = world.ButtonForward | uint16(v.rand.Uint64())&(world.ButtonJump|world.ButtonSprint)
	}
	v.seq++
	v.to(v.home, &region.Inputs{
		Player: v.player, First: v.seq, Steps: []region.Step{{Buttons: v.buttons, Yaw: v.yaw}},
	})
	if v.seq%8 == 0 {
		v.build()
	}
}

// build places or digs a block near the feet.
func (v *visitor) build() {
	at := v.body.Pos.Block().Add(int32(v.rand.Intn(5)-2), int32(v.rand.Intn(4)-2), int32(v.rand.Intn(5)-2))
	act := &region.Act{Player: v.player, After: v.seq, Pos: at, Face: uint8(v.rand.Intn(6))}
	switch {
	case v.built%6 == 0:
		act.Kind, act.A = uint8(world.ActPick), uint64(1+v.rand.Intn(int(world.BlockCount)-1))
	case v.built%2 == 0:
		act.Kind = uint8(world.ActPlace)
	default:
		act.Kind = uint8(world.ActDig)
	}
	v.built++
	if act = v.acts.Ask(act); act != nil {
		v.to(v.home, act)
	}
}

// askAgain asks for what has no answer.
func (v *visitor) askAgain() {
	for _, m := range v.acts.Resend() {
		v.to(v.home, m)
	}
}
