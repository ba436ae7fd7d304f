package node

import (
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

func (n *Node) Push(u part.Call) { n.queue = append(n.queue, u) }

// drain delivers what waits until nothing does. What handlers push meanwhile
// comes after it.
func (n *Node) drain() {
	if n.busy {
		return
	}
	n.busy = true
	for i := 0; i < len(n.queue); i++ {
		u := n.queue[i]
		n.queue[i] = part.Call{}
		if u.Do != nil {
			u.Do()
			continue
		}
		n.deliver(u)
	}
	n.queue = n.queue[:0]
	n.busy = false
	if n.net != nil {
		n.net.guests.flush()
	}
	n.checkClosing()
}

func (n *Node) deliver(u part.Call) {
	if n.net != nil && n.net.routes.Elsewhere(u) {
		return
	}
	if v, ok := u.Msg.(*lobby.Vouched); ok && u.From == region.Lobby {
		n.net.admission.onVouched(v)
		return
	}
	if v, ok := u.Msg.(*region.Merged); ok {
		if u.From == u.To {
			n.net.merges.OnMerged(v)
		}
		return
	}
	if n.decisions.bars(u) {
		return
	}
	if u.To == region.Lobby && u.Msg != nil && !saidBy(u.From, u.Msg) {
		n.counts.Dropped++
		return
	}
	p := n.lobby
	if pos, ok := region.RegionOf(u.To); ok {
		p = n.regions[pos]
		if p == nil && (u.Link != 0 || n.answerAsleep(pos, u)) {
			return
		}
		if p == nil {
			if p = n.wake(pos, u.From); p == nil {
				return
			}
		}
	}
	if u.Link != 0 {
		p.m.OnLink(u.From, u.Link)
	} else {
		n.counts.Messages++
		p.m.OnMessage(u.From, u.Msg)
	}
	n.releaseIfAsleep(p)
}

// wake makes the region at pos, nil if it cannot be.
func (n *Node) wake(pos world.RegionPos, who machine.Peer) *submachine {
	if !shards.InWorld(pos) {
		return nil
	}
	if len(n.awake) >= n.cfg.MaxRegions {
		full := &region.Notice{Region: pos, Code: "full", Text: "This node has too many regions awake to wake another."}
		if _, isPart := shards.Of(who); !isPart {
			submachineEnv{&submachine{node: n}}.Send(who, full)
		}
		return nil
	}
	p := &submachine{node: n, peer: region.PeerOf(pos), name: region.Space(pos), pos: pos}
	if n.net != nil {
		p.replica = n.net.hosting.replicas[shards.Shard{Region: pos}]
	}
	cfg := n.cfg.Region
	cfg.Pos, cfg.Restored = pos, p.replica.restoredLately()
	cfg.Replaced = n.net != nil && n.net.convicted.ReplacedLately(pos)
	var env machine.Env = submachineEnv{p}
	if around := n.cfg.RegionEnv; around != nil {
		env = around(pos, env)
	}
	p.m = n.makers.region(cfg, env)
	n.regions[pos] = p
	n.awake = append(n.awake, p)
	n.counts.Woken++
	p.m.Start()
	return p
}

// releaseIfAsleep lets go of a region that has fallen asleep.
func (n *Node) releaseIfAsleep(p *submachine) {
	if r, ok := p.m.(Region); !ok || p.released || !r.Asleep() {
		return
	}
	n.counts.Slept++
	n.release(p)
}

// release ends a region here.
func (n *Node) release(p *submachine) {
	p.released = true
	if n.regions[p.pos] == p {
		delete(n.regions, p.pos)
	}
	n.awake = slices.DeleteFunc(n.awake, func(q *submachine) bool { return q == p })
}

// submachineEnv is what a shard sees of the node.
type submachineEnv struct{ p *submachine }

func (e submachineEnv) Now() machine.Time { return e.p.node.env.Now() }

func (e submachineEnv) Rand() *rng.Rand { return e.p.node.env.Rand() }

// Send brings a message to another shard, or to a session.
func (e submachineEnv) Send(to machine.Peer, m machine.Message) {
	n := e.p.node
	if e.p.isLobby && to == (machine.Peer{}) {
		n.fromLobby(m)
		return
	}
	if _, ok := region.RegionOf(to); ok {
		n.Push(part.Call{To: to, From: e.p.peer, Msg: m})
		return
	}
	if to == region.Lobby {
		if saved, ok := m.(*region.Saved); ok && n.closing != nil && saved.Tag == closingTag {
			n.saved(saved.Region, saved.Err)
			return
		}
		if m = toLobby(m); m != nil {
			n.Push(part.Call{To: to, From: e.p.peer, Msg: m})
		}
		return
	}
	n.counts.Sent++
	if n.net != nil && e.p.isLobby {
		n.net.names.FromLobbyHere(m)
	}
	switch {
	case n.net == nil:
		n.env.Send(to, m)
	case to.Addr == n.net.tag:
		n.net.sessions.audit(to.ID, m)
		n.net.confirming.see(to.ID, m)
		n.env.Send(machine.Peer{ID: to.ID}, m)
	default:
		n.net.guests.send(to, m)
	}
}

// shard names what the node runs.
func (p *submachine) shard() shards.Shard { return shards.Shard{Lobby: p.isLobby, Region: p.pos} }

// Backlog makes submachineEnv a machine.Backlogger.
func (e submachineEnv) Backlog(to machine.Peer) (waiting, limit int) {
	n := e.p.node
	if n.net != nil {
		return n.net.guests.backlog(to)
	}
	return machine.Backlog(n.env, to)
}

func (e submachineEnv) SetTimer(at machine.Time, t machine.Timer) {
	n := e.p.node
	n.env.SetTimer(at, machine.Timer{Kind: timerSubmachine, Arg: n.timers.put(e.p, t)})
}

// Open does nothing: shards do not open links.
func (e submachineEnv) Open(machine.Peer) {}

// Close ends a session; the other shards hear of it.
func (e submachineEnv) Close(to machine.Peer) {
	n := e.p.node
	if n.net != nil && to.Addr != n.net.tag {
		n.net.guests.close(to, e.p)
		return
	}
	if n.net != nil {
		to.Addr = machine.Addr{}
	}
	if n.links[to] {
		n.env.Close(to)
		n.unlink(to, machine.LinkClosed, e.p)
	}
}

func (e submachineEnv) Do(queue string, tag uint64, job machine.Job) {
	n := e.p.node
	if queue != "" {
		queue = e.p.name + "/" + queue
	}
	outer := n.jobs.put(e.p, tag) << 1
	write, writes := job.(machine.DiskWrite)
	if writes {
		n.writes++
		outer |= 1
	}
	read, reads := job.(machine.DiskRead)
	switch h := e.p.replica; {
	case h != nil && writes:
		h.group.Raft.Propose(outer, write)
	case h != nil && reads:
		h.group.Raft.Read(outer, read)
	default:
		n.env.Do(queue, outer, job)
	}
}

// timerSubmachine is the kind of all timers that belong to shards; Arg is a slot.
const timerSubmachine = 1

// slots gives numbers to values of shards and takes them back.
type slots[T any] struct {
	values []slot[T]
	free   []uint64
}

type slot[T any] struct {
	shard *submachine // nil: free
	value T
}

func (s *slots[T]) put(p *submachine, v T) uint64 {
	if n := len(s.free); n > 0 {
		i := s.free[n-1]
		s.free = s.free[:n-1]
		s.values[i] = slot[T]{p, v}
		return i
	}
	s.values = append(s.values, slot[T]{p, v})
	return uint64(len(s.values) - 1)
}

func (s *slots[T]) take(i uint64) (*submachine, T, bool) {
	if i >= uint64(len(s.values)) || s.values[i].shard == nil {
		var zero T
		return nil, zero, false
	}
	v := s.values[i]
	s.values[i] = slot[T]{}
	s.free = append(s.free, i)
	return v.shard, v.value, true
}
