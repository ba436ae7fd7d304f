package node

import (
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// decisions is this node's copy of the world's access control list. Operators and bans
// are taken from it alone, not from the host of the lobby or of a region
// (docs/protocols/decisions.md). It is a machine because it has jobs.
type decisions struct {
	n     *Node
	p     *submachine
	log   *decision.Log
	saved map[string]bool // registers on the disk
	// timeOffset is the time of day by the log, lands what players own by it.
	timeOffset int64
	lands      []decision.SignedLand

	origins       map[machine.Peer]origin     // of sessions of this node
	kicked        map[id.ID]decision.Executed // players of sessions here, and the orders
	read          bool
	founder       *lobby.Enter            // the founder's player, if it entered before the disk was read
	next          machine.Time            // when to compare logs over all links again
	nextDecisions peers.Own[machine.Time] // when a node may be given all decisions again
}

const (
	// compareEvery is how often linked nodes compare their logs, since a statement can
	// be lost or come before the one that gives it authority.
	compareEvery = 30 * time.Second
	// tellAllAgain is the shortest time between two transfers of the log to one node.
	tellAllAgain = 5 * time.Second
)

func newDecisions(n *Node) *decisions {
	d := &decisions{n: n, log: n.cfg.Decisions, saved: map[string]bool{}, origins: map[machine.Peer]origin{}, kicked: map[id.ID]decision.Executed{}}
	if d.log == nil {
		d.log = decision.New(id.ID{}, [32]byte{})
	}
	d.p = &submachine{node: n, m: d, name: decision.Space}
	n.cfg.Lobby.Decisions, n.cfg.Lobby.Decide = d.log, func(list ...*decision.Statement) error { return d.take(list, nil) }
	n.cfg.Lobby.Signed = n.cfg.Region.Signed
	n.cfg.Region.World, n.cfg.Region.Lands = d.log.World(), d.landsIn
	n.cfg.Region.Rights = func(who id.ID) decision.Rights { return d.log.Rights(who, d.time()) }
	n.cfg.Region.Land = func(owner id.ID, name string) *decision.Statement { return d.log.Current(decision.Land, owner, name) }
	n.cfg.Region.Setting = d.log.SettingStatement
	n.cfg.Region.Warp, n.cfg.Region.Number = d.log.Warp, d.log.Number
	n.cfg.Region.TimeOffset = func() int64 { return d.timeOffset }
	return d
}

// IsOperator reports whether a player is an operator by the log of decisions.
func (n *Node) IsOperator(player id.ID) bool { return n.decisions.log.IsOperator(player) }

func (d *decisions) time() time.Time { return time.Unix(0, int64(d.n.env.Now())) }

// Start implements machine.Machine: it reads the log from the disk.
func (d *decisions) Start() {
	submachineEnv{d.p}.Do(decision.Space, jobLoad, machine.DiskRead{Space: decision.Space})
}

// OnDone implements machine.Machine. Statements from the disk are verified like those
// from other nodes.
func (d *decisions) OnDone(tag uint64, result any, err error) {
	if tag != jobLoad {
		return
	}
	kvs, _ := result.([]machine.KV)
	var list []*decision.Statement
	for _, kv := range kvs {
		d.saved[string(kv.Key)] = true
		if s, bad := decision.Decode(kv.Value); bad == nil {
			list = append(list, s)
		}
	}
	if err != nil {
		d.note("The operators' decisions on the disk cannot be read; other nodes may have them: " + err.Error())
	}
	_ = d.take(list, nil) // the next valid statement removes invalid ones from the disk
	d.read = true
	if d.founder != nil {
		d.found(d.founder)
	}
}

// take adds statements to the log, and saves, forwards and enforces the new ones.
func (d *decisions) take(list []*decision.Statement, from *peers.Remote) error {
	fresh, err := d.log.Merge(list, d.time())
	if len(fresh) == 0 {
		return err
	}
	d.save(fresh)
	if w := d.n.net; w != nil {
		for m := range d.messages(fresh) {
			w.links.TellAll(m, from)
		}
	}
	d.enforce()
	return err
}

// save writes new statements to the disk and deletes superseded ones.
func (d *decisions) save(fresh []*decision.Statement) {
	w := machine.DiskWrite{Space: decision.Space}
	has := map[string]bool{}
	for _, s := range d.log.All() {
		has[s.Key()] = true
	}
	for _, s := range fresh {
		w.Put = append(w.Put, machine.KV{Key: []byte(s.Key()), Value: s.Append(nil)})
		d.saved[s.Key()] = true
	}
	for key := range d.saved {
		if !has[key] {
			w.Delete = append(w.Delete, []byte(key))
			delete(d.saved, key)
		}
	}
	slices.SortFunc(w.Delete, slices.Compare[[]byte])
	submachineEnv{d.p}.Do(decision.Space, jobSave, w)
}

// enforce notifies the lobby and the regions at this node of a change.
func (d *decisions) enforce() {
	n := d.n
	d.lands = d.log.Lands()
	n.Push(part.Call{Do: func() {
		if n.lobby != nil {
			n.lobby.m.OnMessage(machine.Peer{}, &lobby.Decided{})
		}
	}})
	for _, p := range n.awake {
		n.Push(part.Call{To: p.peer, From: region.Lobby, Msg: &region.Decided{}})
	}
	d.timeOffset = d.log.TimeOffset(world.DayLength, func(t machine.Time) int64 { return lobby.TickAt(t, n.cfg.Region.Epoch) })
	d.enforceAddresses()
}

// landsIn returns the land that players own in a region.
func (d *decisions) landsIn(pos world.RegionPos) (out []decision.SignedLand) {
	for _, l := range d.lands {
		if l.Box().Meets(pos.Bounds()) {
			out = append(out, l)
		}
	}
	return out
}

// found makes the founder's player, who enters from the machine of the founder's node,
// the first operator.
func (d *decisions) found(e *lobby.Enter) {
	switch {
	case d.n.cfg.Sign == nil || d.log.Founded():
		return
	case !d.read:
		d.founder = e
		return
	}
	name, err := wire.CleanName(e.Name)
	if err != nil {
		return // the lobby refuses it
	}
	s := &decision.Statement{
		World: d.log.World(), Seq: d.log.Next(d.log.Root(), d.time()),
		Topic: decision.Operator, On: true, Subject: e.Player, Name: name,
	}
	d.n.cfg.Sign(s)
	if err := d.take([]*decision.Statement{s}, nil); err != nil {
		d.note(fmt.Sprintf("The founder's player could not be made an operator: %v", err))
	}
}

// GrantConsole makes the key of the founder's node's consoles an operator's. At other nodes
// it does nothing.
func (n *Node) GrantConsole(console id.ID) error {
	d := n.decisions
	if n.cfg.Sign == nil || d.log.IsOperator(console) {
		return nil
	}
	s := &decision.Statement{
		World: d.log.World(), Seq: d.log.Next(d.log.Root(), d.time()),
		Topic: decision.Operator, On: true, Subject: console, Name: decision.Console,
	}
	n.cfg.Sign(s)
	return d.take([]*decision.Statement{s}, nil)
}

// hear inspects messages of this node's sessions to the lobby.
func (d *decisions) hear(m machine.Message) {
	if e, ok := m.(*lobby.Enter); ok && e.Local {
		d.found(e)
	}
}

// bars refuses a banned player at a region here, even if the lobby's host admitted it.
func (d *decisions) bars(u part.Call) bool {
	e, ok := u.Msg.(*region.Enter)
	if !ok {
		return false
	}
	b := d.log.Banned(e.Player, e.Name, d.time())
	if b == nil {
		return false
	}
	pos, _ := region.RegionOf(u.To)
	submachineEnv{&submachine{node: d.n}}.Send(u.From, &region.Refused{
		Region: pos, Player: e.Player, Code: string(wire.Banned), Text: lobby.BanText(b),
	})
	return true
}

func (d *decisions) note(text string) {
	if d.n.net != nil {
		d.n.net.links.Note(text)
	}
}

// greet sends a node with a new link the hash of the log.
func (d *decisions) greet(f *peers.Remote) {
	d.n.env.Send(f.Peer, &Decisions{Digest: d.log.Digest()})
}

// beat compares logs over all links once in compareEvery.
func (d *decisions) beat(now machine.Time) {
	if now >= d.next {
		d.next = now.Add(compareEvery)
		d.n.net.links.TellAll(&Decisions{Digest: d.log.Digest()}, nil)
	}
}

// receive handles a hash or statements of another node.
func (d *decisions) receive(f *peers.Remote, m *Decisions) {
	now := d.n.env.Now()
	if !f.IsUp() {
		return
	}
	if len(m.List) == 0 {
		if m.Digest != d.log.Digest() && now >= *d.nextDecisions.Of(f) {
			*d.nextDecisions.Of(f) = now.Add(tellAllAgain)
			for m := range d.messages(d.log.All()) {
				d.n.env.Send(f.Peer, m)
			}
		}
		return
	}
	var list []*decision.Statement
	for _, b := range m.List {
		s, err := decision.Decode(b)
		if err != nil {
			d.n.net.accused.Accuse(f.Peer.ID, "a decision that nobody can have signed: %v", err)
			d.n.net.links.Disconnect(f)
			return
		}
		list = append(list, s)
	}
	_ = d.take(list, f) // a statement refused here may count there; the two compare again
}

// messages packs statements into messages of at most MaxDecisions.
func (d *decisions) messages(list []*decision.Statement) func(func(*Decisions) bool) {
	return func(yield func(*Decisions) bool) {
		for shard := range slices.Chunk(list, MaxDecisions) {
			m := &Decisions{}
			for _, s := range shard {
				m.List = append(m.List, s.Append(nil))
			}
			if !yield(m) {
				return
			}
		}
	}
}

// OnMessage implements machine.Machine.
func (d *decisions) OnMessage(machine.Peer, machine.Message) {}

// OnTimer implements machine.Machine.
func (d *decisions) OnTimer(machine.Timer) {}

// OnLink implements machine.Machine.
func (d *decisions) OnLink(machine.Peer, machine.LinkEvent) {}
