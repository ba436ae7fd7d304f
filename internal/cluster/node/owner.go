package node

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// owner is whether the owner of this node's machine plays here: whoever shows the
// secret of its data folder (lobby.Enter, Local). A node's owner depends on that node as
// nobody else does: other players can go on at another node when this one dies. So
// nodes tell each other, and where two nodes share one vote it matters (voterFirst).
type owner struct {
	part.Part
	links    *peers.Links
	others   peers.Own[bool] // whether the owner of a node plays at it, as it has said over the link that is up
	sessions map[id.ID]bool  // the owner's, that are in or enter
	left     machine.Time    // when the last of them ended
	plays    bool            // as the other nodes have been told
}

// ownerAway is how long the owner counts as there after the last session has ended: a
// page that is loaded anew, or has lost its connection, moves nothing.
const ownerAway = 10 * time.Second

func newOwner(c part.Part, l *peers.Links) *owner {
	return &owner{Part: c, links: l, others: peers.NewOwn[bool](l), sessions: map[id.ID]bool{}}
}

// enters notes a session of the owner.
func (o *owner) enters(session id.ID) {
	o.sessions[session] = true
	o.set(true)
}

// ended is when a session of this node has gone.
func (o *owner) ended(session id.ID) {
	if o.sessions[session] {
		delete(o.sessions, session)
		o.left = o.Env.Now()
	}
}

func (o *owner) beat(now machine.Time) {
	if len(o.sessions) == 0 && now.Sub(o.left) >= ownerAway {
		o.set(false)
	}
}

// set tells the other nodes of a change.
func (o *owner) set(plays bool) {
	if o.plays != plays {
		o.plays = plays
		o.links.TellAll(&OwnerPlays{plays}, nil)
	}
}

// greet tells a node that there is a link to. It believes that nobody plays until it is
// told otherwise.
func (o *owner) greet(f *peers.Remote) {
	if o.plays {
		o.Env.Send(f.Peer, &OwnerPlays{true})
	}
}

// receive notes whether another node's owner plays there.
func (o *owner) receive(f *peers.Remote, m *OwnerPlays) { *o.others.Of(f) = f.IsUp() && m.Plays }

// LinkDown is when the link to a node has ended: nobody is believed to play there.
func (o *owner) linkDown(f *peers.Remote) { *o.others.Of(f) = false }

// isPlaying reports whether the owner plays here, as the other nodes have been told.
func (o *owner) isPlaying() bool { return o.plays }

// playsAt reports whether the owner of another node plays at it, as it says.
func (o *owner) playsAt(f *peers.Remote) bool { return *o.others.Of(f) }
