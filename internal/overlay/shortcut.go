package overlay

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/machine"
)

// ShortcutFor is how long a shortcut is kept unused (thesis 6.2.5).
const ShortcutFor = 90 * time.Second

// sweepShortcuts is how often they are looked through (the thesis says "in fixed
// intervals", 4.6).
const sweepShortcuts = 30 * time.Second

// shortcut makes a node a shortcut or renews it (thesis 4.2.5, 4.6).
func (n *Node) shortcut(c *Contact) *peer {
	p := n.know(c)
	p.used = n.env.Now()
	if p.why&asShortcut == 0 {
		n.shortcuts = append(n.shortcuts, p)
		if !n.sweeping {
			n.sweeping = true
			n.env.SetTimer(n.env.Now().Add(sweepShortcuts), machine.Timer{Kind: timerShortcuts})
		}
	}
	n.need(p, asShortcut)
	return p
}

// Shortcuts is the number of shortcuts.
func (n *Node) Shortcuts() int {
	k := 0
	for _, p := range n.shortcuts {
		if p.why&asShortcut != 0 {
			k++
		}
	}
	return k
}

// direct sends a message to a node over a shortcut; it waits for the link if
// need be (thesis 4.7.1, buffering due to shortcut establishment).
func (n *Node) direct(to *Contact, m machine.Message) {
	p := n.shortcut(to)
	if p.link == linkUp {
		n.env.Send(p.peer, m)
		return
	}
	if len(p.waiting) < maxWaiting {
		p.waiting = append(p.waiting, m)
	}
}

// sendWaiting sends what was waiting for a link.
func (n *Node) sendWaiting(p *peer) {
	for _, m := range p.waiting {
		n.env.Send(p.peer, m)
	}
	p.waiting = nil
}

// purgeShortcuts lets go of those that were not used for long.
func (n *Node) purgeShortcuts() {
	keep := n.shortcuts[:0]
	for _, p := range n.shortcuts {
		switch {
		case p.why&asShortcut == 0: // failed
		case n.env.Now().Sub(p.used) > ShortcutFor:
			n.release(p, asShortcut)
		default:
			keep = append(keep, p)
		}
	}
	clear(n.shortcuts[len(keep):])
	n.shortcuts = keep
	n.sweeping = len(keep) > 0
	if n.sweeping {
		n.env.SetTimer(n.env.Now().Add(sweepShortcuts), machine.Timer{Kind: timerShortcuts})
	}
}
