package node

import "github.com/voxelpopuli/voxelpopuli/internal/core/machine"

// send sends a message over the link to a node, which it opens if there is none.
func (l *links) send(to machine.Peer, m machine.Message) {
	f := l.reported(to)
	f.used = l.Env.Now()
	if f.isUp() {
		l.Env.Send(f.peer, m)
		return
	}
	l.open(f)
	if len(f.queue) >= maxLinkQueue {
		l.Counts.Dropped++
		return
	}
	f.queue = append(f.queue, m)
}

// tellAll sends a message over all links but one.
func (l *links) tellAll(m machine.Message, but *remoteNode) {
	for _, f := range l.order {
		if f != but && f.isUp() {
			l.Env.Send(f.peer, m)
		}
	}
}

// open opens the link to a node if there is none, and it is not on its way.
func (l *links) open(f *remoteNode) {
	if f.state == linkNone {
		f.state = linkWaiting
		l.reopen(f)
	}
}

// openLater opens the link to a node when it may be opened again.
func (l *links) openLater(f *remoteNode) {
	if f.state == linkNone {
		f.state = linkWaiting
	}
}

// reopen opens a link, not at once if it has just failed.
func (l *links) reopen(f *remoteNode) {
	if f.state == linkWaiting && l.Env.Now() >= f.retry {
		f.state = linkOpening
		l.Env.Open(f.peer)
	}
}

// onLink follows the links to other nodes.
func (l *links) onLink(peer machine.Peer, ev machine.LinkEvent) {
	f := l.reported(peer)
	if ev == machine.LinkUp && (l.events.bars(peer) || l.remotes[peer.ID] != f) { // barred, or one too many
		l.Env.Close(peer)
		return
	}
	switch {
	case ev == machine.LinkUp:
		l.onUp(f, peer)
	case f.peer == peer:
		l.onDown(f)
		l.events.shareLost(f, ev)
		f.tryOtherAddress()
	}
	l.events.linkChanged(peer, ev)
}

// onUp is when a link is up: what has waited for it is sent.
func (l *links) onUp(f *remoteNode, peer machine.Peer) {
	if f.peer != peer { // it has come back from another address
		l.Env.Close(f.peer)
		l.onDown(f)
		f.peer = peer
	}
	l.heard(peer)
	l.events.shareLost(f, machine.LinkClosed)
	f.state, f.used = linkUp, l.Env.Now()
	queue := f.queue
	f.queue = nil
	for _, m := range queue {
		l.Env.Send(f.peer, m)
	}
	l.events.linkUp(f)
}

// onDown is when a link has ended.
func (l *links) onDown(f *remoteNode) {
	f.state, f.queue = linkNone, nil
	f.retry = l.Env.Now().Add(reopenAfter)
	l.events.linkDown(f)
}

// disconnect ends the link to a node.
func (l *links) disconnect(f *remoteNode) {
	if f.state == linkNone {
		return
	}
	l.Env.Close(f.peer)
	l.onDown(f)
	l.events.shareLost(f, machine.LinkFailed)
	l.events.linkChanged(f.peer, machine.LinkFailed)
}

// maintain reopens links that are due, and closes idle ones.
func (l *links) maintain() {
	now := l.Env.Now()
	kept := l.order[:0]
	for _, f := range l.order {
		l.reopen(f)
		idle := now.Sub(max(f.used, f.heard)) > idleLink && !l.events.uses(f)
		if idle && f.isUp() {
			l.Env.Close(f.peer)
			l.onDown(f)
		}
		if idle && f.state == linkNone {
			l.forget(f)
			continue
		}
		kept = append(kept, f)
	}
	clear(l.order[len(kept):])
	l.order = kept
}
