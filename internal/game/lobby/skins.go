package lobby

import (
	"bytes"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// What players look like: the list of players has the id of each skin, and who does not
// know one asks for it. Nothing of it is kept on disk: sessions say it again when another
// node leads the lobby.

const (
	dressEvery = 3 * time.Second // a player changes its skin in the long run,
	dressBurst = 4               // so often at once
	skinEvery  = 250 * time.Millisecond
	skinBurst  = 256
)

// dressed is what a player looks like.
type dressed struct {
	skin  []byte
	shown uint32 // wire.SkinID of what others see
	dress rateLimit
	asks  rateLimit
}

func (h *Lobby) onSkin(from machine.Peer, m *Skin) {
	p := h.sessions[from]
	if p == nil || !p.here || !wire.ValidSkin(m.Skin) || bytes.Equal(p.skin, m.Skin) || !p.dress.allow(h.env.Now(), dressEvery, dressBurst) {
		return
	}
	p.skin = slices.Clone(m.Skin)
	h.showSkin(p)
}

// seen is what others see of a player: not the pixels of who may say nothing to them.
func (h *Lobby) seen(p *player) []byte {
	if len(p.skin) > 1 && h.cfg.Decisions.Muted(p.id, h.time()) != nil {
		return nil
	}
	return p.skin
}

// showSkin tells others of a skin that they see now.
func (h *Lobby) showSkin(p *player) {
	if id := wire.SkinID(h.seen(p)); id != p.shown && p.here {
		p.shown = id
		h.queueNews(p)
	}
}

func (h *Lobby) onAskSkin(from machine.Peer, m *AskSkin) {
	p := h.sessions[from]
	if p == nil || !p.here || !p.asks.allow(h.env.Now(), skinEvery, skinBurst) {
		return
	}
	for _, q := range h.here {
		if q.rec.Entity == m.Entity {
			h.env.Send(from, &SkinOf{m.Entity, h.seen(q)})
			return
		}
	}
}
