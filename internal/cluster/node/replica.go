package node

import (
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
)

// replica is this node's replica of a shard. While it leads its group, the
// shard itself runs here for as long as it is needed.
type replica struct {
	w       *network
	shard   Shard
	space   string
	p       *submachine // the replica, as one of the node's machines
	raft    *group.Replica
	leading bool
	gone    bool
	opened  machine.Time // when a replica of an earlier run was read from the disk; 0: it is of this run

	userNodes    map[machine.Peer]bool // nodes that have sent something for it
	formerUsers  []machine.Peer        // those of when it was last led here
	heldMessages []heldMessage         // for the leader, who may soon be here
	idleSince    machine.Time          // since when nobody needs the shard
	record       publishedRecord       // of the shard, as this node has published it
	membership   membership
	rereadAt     machine.Time // when to read the disk again, if the replica lost its way
	quorumLoss   quorumLoss   // while it has no leader
	otherGroups  otherGroups  // other groups of the shard
	renewAt      machine.Time // when to look after the record; 0: not known yet
}

// heldMessage is a message that arrived before the leader is known.
type heldMessage struct {
	from *remoteNode
	m    *Routed
	at   machine.Time
}

const (
	maxHeld        = 512
	heldFor        = 2 * time.Second
	hibernateAfter = 5 * time.Second // a group that nobody needs hibernates
	// rereadAfter is when a replica that a member's invalid message has ended
	// is read again.
	rereadAfter = 10 * time.Second
)

// openReplica creates this node's replica of a shard, with what the disk has of
// it.
func (w *network) openReplica(p Shard) *replica {
	h := &replica{w: w, shard: p, space: p.space(), userNodes: map[machine.Peer]bool{}, idleSince: w.n.env.Now()}
	w.replicas[p] = h
	if w.dormant[p] {
		h.opened = w.n.env.Now()
	}
	delete(w.dormant, p)
	h.openGroup()
	return h
}

// openGroup begins with a replica that reads the disk.
func (h *replica) openGroup() {
	h.p = &submachine{node: h.w.n, name: group.OwnSpace(h.space)}
	h.raft = group.New(group.Config{Space: h.space, Self: h.w.cfg.Self}, groupEnv{h.p}, h)
	h.p.m = h.raft
	h.raft.Start()
}

// replica returns this node's replica of a shard, reading it if it is only on the
// disk; nil if there is none.
func (w *network) replica(p Shard) *replica {
	if h := w.replicas[p]; h != nil {
		return h
	}
	if w.dormant[p] {
		return w.openReplica(p)
	}
	return nil
}

// createGroup creates a group for a shard with this node as its first member.
// It replaces a group of generation after whose members are gone.
func (w *network) createGroup(p Shard, after uint64, members []machine.Peer) {
	w.openReplica(p).raft.CreateAfter(after, members)
}

// hasRoomHere reports whether this node would host another shard.
func (w *network) hasRoomHere() bool {
	return len(w.replicas)+len(w.dormant) < w.cfg.MaxHosted && !w.closing && (w.cfg.Full == nil || !w.cfg.Full()) &&
		(w.cfg.MaxPlayers <= 0 || w.n.players() < w.cfg.MaxPlayers)
}

// scanDisk finds the replicas on the disk, and the shards that were stored when
// this node was the world's only one.
func (w *network) scanDisk() {
	for _, space := range w.cfg.Stored {
		if p, ok := shardInSpace(strings.TrimPrefix(space, group.OwnSpace(""))); ok && strings.HasPrefix(space, group.OwnSpace("")) {
			w.dormant[p] = true
		}
	}
	for _, space := range w.cfg.Stored {
		if p, ok := shardInSpace(space); ok && !w.dormant[p] {
			w.stored[p] = true
		}
	}
}

// onGroupMessage passes a group member's message to the replica here. A node
// becomes a member by the first message, if it has room.
func (w *network) onGroupMessage(f *remoteNode, space string, m machine.Message) {
	p, ok := shardInSpace(space)
	if !ok {
		w.n.counts.Dropped++
		return
	}
	h := w.replica(p)
	if h == nil {
		gm, _ := m.(*group.Message)
		if gm == nil {
			return
		}
		if !gm.Invites() || gm.Gen.Compare(w.yieldedTo[p]) < 0 || !w.hasRoomHere() || w.stored[p] || w.damaged[p] {
			if d := group.Decline(gm); d != nil {
				w.sendOverLink(f.peer, d)
			}
			return
		}
		if !w.mayInvite(f, p) {
			return
		}
		h = w.openReplica(p)
	}
	h.raft.OnMessage(f.peer, m)
}

// holdMessage queues a message until the leader is known.
func (h *replica) holdMessage(f *remoteNode, m *Routed) {
	if len(h.heldMessages) >= maxHeld {
		h.w.n.counts.Dropped++
		return
	}
	h.heldMessages = append(h.heldMessages, heldMessage{f, m, h.w.n.env.Now()})
	h.raft.Wake()
}

// releaseHeld delivers, forwards or drops the messages that waited for a
// leader.
func (h *replica) releaseHeld() {
	waiting := h.heldMessages
	h.heldMessages = nil
	for _, x := range waiting {
		if h.leading {
			h.w.onRouted(x.from, x.m)
		} else {
			h.w.sendLeaderReply(x.from.peer, h.shard)
		}
	}
}

// beat drops messages that have waited for too long and maintains the group:
// hibernation, record, members.
func (h *replica) beat(now machine.Time) {
	if len(h.heldMessages) > 0 && now.Sub(h.heldMessages[0].at) > heldFor {
		h.releaseHeld()
	}
	if h.p.released && now >= h.rereadAt {
		h.openGroup()
	}
	if h.yieldToGreater() {
		return
	}
	if !h.leading {
		h.checkQuorumLoss(now)
		h.renew(now)
		return
	}
	h.renewAt = 0
	h.searchOtherGroups(now)
	if h.isRunning() {
		h.idleSince = now
	}
	h.publish()
	h.updateMembers(now)
	if now.Sub(h.idleSince) >= hibernateAfter && !h.w.closing {
		h.raft.Hibernate()
	}
}

// isRunning reports whether the shard itself runs here.
func (h *replica) isRunning() bool {
	if h.shard.Lobby {
		return h.w.n.lobby != nil
	}
	return h.w.n.regions[h.shard.Region] != nil
}

// groupEnv is what a replica sees of the node: links are the network's.
type groupEnv struct{ p *submachine }

func (e groupEnv) Now() machine.Time                         { return e.p.node.env.Now() }
func (e groupEnv) Rand() *rng.Rand                           { return e.p.node.env.Rand() }
func (e groupEnv) Send(to machine.Peer, m machine.Message)   { e.p.node.net.sendOverLink(to, m) }
func (e groupEnv) SetTimer(at machine.Time, t machine.Timer) { submachineEnv(e).SetTimer(at, t) }
func (e groupEnv) Open(machine.Peer)                         {}
func (e groupEnv) Close(machine.Peer)                        {}
func (e groupEnv) Do(queue string, tag uint64, job machine.Job) {
	submachineEnv(e).Do(queue, tag, job)
}
