package node

import (
	"fmt"
	"math"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// closing is a shutdown on its way.
type closing struct {
	waiting map[world.RegionPos]bool // have not answered SaveAll
	err     error                    // the first one
	done    func(error)
	handing bool         // shards are being handed over to other nodes
	until   machine.Time // what comes now is waited for until then
}

const (
	// saveTime bounds how long regions and the disk may take. A write to a group that
	// has lost its majority never ends.
	saveTime = 8 * time.Second
	// handOverTime bounds how long other nodes may take to take over what this one
	// leads. What they have not taken is on disk here.
	handOverTime = 10 * time.Second
)

// closingTag marks the SaveAll of a shutdown; the lobby counts its own from 1.
const closingTag = math.MaxUint64

// Shutdown ends the node in an orderly way: sessions are told that the world
// restarts, their players are saved, all regions write what they have, and what
// this node leads is handed over to other members. done is called, in a handler, when
// all that is on disk, or after saveTime and handOverTime; the error says what could
// not be saved (everything that was acknowledged is on disk anyway). The driver
// calls it like a handler (transport: Loop.Call).
func (n *Node) Shutdown(done func(error)) {
	if n.closing != nil {
		return
	}
	n.closing = &closing{waiting: map[world.RegionPos]bool{}, done: done}
	n.closing.wait(n.env, saveTime)
	bye := &lobby.Refused{Code: wire.Restart, Text: wire.Restart.Text(), Retry: 5}
	for _, peer := range n.sessions() {
		n.env.Send(peer, bye)
		n.env.Close(peer)
		n.unlink(peer, machine.LinkClosed, nil)
	}
	for _, p := range n.awake {
		n.closing.waiting[p.pos] = true
		n.Push(part.Call{To: p.peer, From: region.Lobby, Msg: &region.SaveAll{Tag: closingTag}})
	}
	n.drain()
}

// saved notes a region's answer to the SaveAll of a shutdown.
func (n *Node) saved(pos world.RegionPos, text string) {
	c := n.closing
	delete(c.waiting, pos)
	if text != "" && c.err == nil {
		c.err = fmt.Errorf("%s: %s", pos, text)
	}
}

// wait begins a part of the shutdown that may take so long.
func (c *closing) wait(env machine.Env, d time.Duration) {
	c.until = env.Now().Add(d)
	env.SetTimer(c.until, machine.Timer{Kind: timerClosing})
}

// unsaved is how many regions and writes are not on the disk yet. A region that has
// fallen asleep is.
func (n *Node) unsaved() (regions, writes int) {
	for pos := range n.closing.waiting {
		if n.regions[pos] != nil {
			regions++
		}
	}
	return regions, n.writes
}

// checkClosing ends a shutdown when nothing is on its way to the disk any more, or
// that has taken too long.
func (n *Node) checkClosing() {
	c := n.closing
	if c == nil || c.done == nil {
		return
	}
	regions, writes := n.unsaved()
	if saving := regions+writes > 0; saving && n.env.Now() < c.until {
		return
	} else if saving && c.err == nil {
		c.err = fmt.Errorf("%d regions and %d writes could not be saved in time: the disk, or the other nodes that keep them, do not answer", regions, writes)
	}
	if n.net != nil && !c.handing {
		c.handing = true
		c.wait(n.env, handOverTime)
		n.net.beginLeave()
	}
	if n.net != nil && n.net.departure.hasTransfers() && n.env.Now() < c.until {
		return
	}
	if n.net != nil {
		n.net.announceLeaving()
	}
	done := c.done
	c.done = nil
	done(c.err)
}
