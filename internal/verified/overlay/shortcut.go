package overlay

import (
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// ShortcutFor is how long a shortcut is kept unused (thesis 6.2.5).
const ShortcutFor = 90 * time.Second

// sweepShortcuts is how often they are looked through (the thesis says "in fixed
// intervals", 4.6).
const sweepShortcuts = 30 * time.Second

// shortcutList are the links to nodes that were talked to of late (thesis 4.6).
type shortcutList struct {
	*core
	links *links

	shortcuts []*peer
	sweeping  bool // the timer of purgeShortcuts is set
}

// shortcut makes a node a shortcut or renews it (thesis 4.2.5, 4.6).
func (sl *shortcutList) shortcut(c *Contact) *peer {
	p := sl.links.know(c)
	p.used = sl.env.Now()
	if p.why&asShortcut == 0 {
		sl.shortcuts = append(sl.shortcuts, p)
		if !sl.sweeping {
			sl.sweeping = true
			sl.env.SetTimer(sl.env.Now().Add(sweepShortcuts), machine.Timer{Kind: timerShortcuts})
		}
	}
	sl.links.need(p, asShortcut)
	return p
}

// Shortcuts is the number of shortcuts.
func (n *Node) Shortcuts() int {
	k := 0
	for _, p := range n.shortcuts.shortcuts {
		if p.why&asShortcut != 0 {
			k++
		}
	}
	return k
}

// direct sends a message to a node over a shortcut; it waits for the link if
// need be (thesis 4.7.1, buffering due to shortcut establishment).
func (sl *shortcutList) direct(to *Contact, m machine.Message) {
	p := sl.shortcut(to)
	if p.link == linkUp {
		sl.env.Send(p.peer, m)
		return
	}
	if len(p.waiting) < maxWaiting {
		p.waiting = append(p.waiting, m)
	}
}

// sendWaiting sends what was waiting for a link.
func (sl *shortcutList) sendWaiting(p *peer) {
	for _, m := range p.waiting {
		sl.env.Send(p.peer, m)
	}
	p.waiting = nil
}

// purgeShortcuts lets go of those that were not used for long.
func (sl *shortcutList) purgeShortcuts() {
	keep := sl.shortcuts[:0]
	for _, p := range sl.shortcuts {
		switch {
		case p.why&asShortcut == 0: // failed
		case sl.env.Now().Sub(p.used) > ShortcutFor:
			sl.links.release(p, asShortcut)
		default:
			keep = append(keep, p)
		}
	}
	clear(sl.shortcuts[len(keep):])
	sl.shortcuts = keep
	sl.sweeping = len(keep) > 0
	if sl.sweeping {
		sl.env.SetTimer(sl.env.Now().Add(sweepShortcuts), machine.Timer{Kind: timerShortcuts})
	}
}
