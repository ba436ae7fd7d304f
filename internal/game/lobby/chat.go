package lobby

import (
	"fmt"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

const (
	SayEvery = time.Second // one line of a session in the long run,
	SayBurst = 8           // so many at once
)

// rateLimit limits how often something happens: the virtual-scheduling form of a
// leaky bucket (ITU-T I.371). It holds when the next is due at the steady rate.
type rateLimit struct{ due machine.Time }

func (p *rateLimit) allow(now machine.Time, every time.Duration, burst int) bool {
	due := max(p.due, now)
	if due.Sub(now) > every*time.Duration(burst-1) {
		return false
	}
	p.due = due.Add(every)
	return true
}

func (h *Lobby) onSay(from machine.Peer, m *Say) {
	p := h.sessions[from]
	if p == nil {
		h.askToRejoin(from)
	}
	if p == nil || !p.here {
		return
	}
	text := wire.CleanText(m.Text)
	switch {
	case text == "":
	case !p.quiet.allow(h.env.Now(), SayEvery, SayBurst):
		h.tell(p, wire.ChatError, "You are writing too fast. Wait a moment.")
	case !h.hasSigned(p, m):
		h.tell(p, wire.ChatError, "Your client has not signed that line, so nobody has read it. Load the page again.")
	case m.Signed != nil && !h.lines.Add(id.ID{}, m.Signed, h.tick()):
		// repeated: it was said already
	case strings.HasPrefix(text, "/"):
		h.command(p, m, text[1:])
	case p.console:
		h.toAll(&Chat{Kind: wire.ChatSystem, Text: p.rec.Name + " " + text})
	case h.silenced(p):
	default:
		h.toAll(m.shown(Chat{Kind: wire.ChatWorld, From: p.rec.Name, Text: text}))
	}
}

// silenced tells a player who may not speak why, and reports that.
func (h *Lobby) silenced(p *player) bool {
	s := h.cfg.Decisions.Muted(p.id, h.time())
	if s == nil {
		return false
	}
	h.tell(p, wire.ChatError, "%s", sentence("You are muted", s))
	return true
}

// tell shows a line to one player.
func (h *Lobby) tell(p *player, kind wire.ChatKind, format string, args ...any) {
	if p.here {
		h.env.Send(p.session, &Chat{Kind: kind, Text: fmt.Sprintf(format, args...)})
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
