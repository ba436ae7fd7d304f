package peers

import "github.com/voxelpopuli/voxelpopuli/internal/core/machine"

// Send sends a message over the link to a node, which it opens if there is none.
func (l *Links) Send(to machine.Peer, m machine.Message) {
	f := l.Reported(to)
	f.used = l.Env.Now()
	if f.IsUp() {
		l.Env.Send(f.Peer, m)
		return
	}
	l.Open(f)
	if len(f.queue) >= maxLinkQueue {
		l.Counts.Dropped++
		return
	}
	f.queue = append(f.queue, m)
}

// TellAll sends a message over all links but one.
func (l *Links) TellAll(m machine.Message, but *Remote) {
	for _, f := range l.Order {
		if f != but && f.IsUp() {
			l.Env.Send(f.Peer, m)
		}
	}
}

// Open opens the link to a node if there is none, and it is not on its way.
func (l *Links) Open(f *Remote) {
	if f.State == None {
		f.State = linkWaiting
		l.reopen(f)
	}
}

// OpenLater opens the link to a node when it may be opened again.
func (l *Links) OpenLater(f *Remote) {
	if f.State == None {
		f.State = linkWaiting
	}
}

// reopen opens a link, not at once if it has just failed.
func (l *Links) reopen(f *Remote) {
	if f.State == linkWaiting && l.Env.Now() >= f.retry {
		f.State = linkOpening
		l.Env.Open(f.Peer)
	}
}

// OnLink follows the links to other nodes.
func (l *Links) OnLink(peer machine.Peer, ev machine.LinkEvent) {
	f := l.Reported(peer)
	if ev == machine.LinkUp && (l.Events.Bars(peer) || l.Remotes[peer.ID] != f) { // barred, or one too many
		l.Env.Close(peer)
		return
	}
	switch {
	case ev == machine.LinkUp:
		l.onUp(f, peer)
	case f.Peer == peer:
		l.onDown(f)
		l.Events.ShareLost(f, ev)
		f.tryOtherAddress()
	}
	l.Events.LinkChanged(peer, ev)
}

// onUp is when a link is up: what has waited for it is sent.
func (l *Links) onUp(f *Remote, peer machine.Peer) {
	if f.Peer != peer { // it has come back from another address
		l.Env.Close(f.Peer)
		l.onDown(f)
		f.Peer = peer
	}
	l.Heard(peer)
	l.Events.ShareLost(f, machine.LinkClosed)
	f.State, f.used = Up, l.Env.Now()
	queue := f.queue
	f.queue = nil
	for _, m := range queue {
		l.Env.Send(f.Peer, m)
	}
	l.Events.LinkUp(f)
}

// onDown is when a link has ended.
func (l *Links) onDown(f *Remote) {
	f.State, f.queue = None, nil
	f.retry = l.Env.Now().Add(reopenAfter)
	l.Events.LinkDown(f)
}

// Disconnect ends the link to a node.
func (l *Links) Disconnect(f *Remote) {
	if f.State == None {
		return
	}
	l.Env.Close(f.Peer)
	l.onDown(f)
	l.Events.ShareLost(f, machine.LinkFailed)
	l.Events.LinkChanged(f.Peer, machine.LinkFailed)
}

// Maintain reopens links that are due, and closes idle ones.
func (l *Links) Maintain() {
	now := l.Env.Now()
	kept := l.Order[:0]
	for _, f := range l.Order {
		l.reopen(f)
		idle := now.Sub(max(f.used, f.Heard)) > idleLink && !l.Events.Uses(f)
		if idle && f.IsUp() {
			l.Env.Close(f.Peer)
			l.onDown(f)
		}
		if idle && f.State == None {
			l.forget(f)
			continue
		}
		kept = append(kept, f)
	}
	clear(l.Order[len(kept):])
	l.Order = kept
}
