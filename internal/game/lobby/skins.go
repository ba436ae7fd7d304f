package lobby

import (
	"bytes"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
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

// skins are what the players who are here look like.
type skins struct {
	env  machine.Env
	log  *decision.Log
	news func(*player) // the others are to be told of
}

// wear gives a player another skin.
func (k *skins) wear(p *player, m *Skin) {
	if p == nil || !p.here || !wire.ValidSkin(m.Skin) || bytes.Equal(p.skin, m.Skin) || !p.dress.allow(k.env.Now(), dressEvery, dressBurst) {
		return
	}
	p.skin = slices.Clone(m.Skin)
	k.show(p)
}

// seen is what others see of a player: not the pixels of who may say nothing to them.
func (k *skins) seen(p *player) []byte {
	if len(p.skin) > 1 && k.log.Muted(p.id, time.Unix(0, int64(k.env.Now()))) != nil {
		return nil
	}
	return p.skin
}

// show tells others of a skin that they see now.
func (k *skins) show(p *player) {
	if id := wire.SkinID(k.seen(p)); id != p.shown && p.here {
		p.shown = id
		k.news(p)
	}
}

// answer tells a player which skin one of those who are here has.
func (k *skins) answer(p *player, here []*player, m *AskSkin) {
	if p == nil || !p.here || !p.asks.allow(k.env.Now(), skinEvery, skinBurst) {
		return
	}
	for _, q := range here {
		if q.rec.Entity == m.Entity {
			k.env.Send(p.session, &SkinOf{m.Entity, k.seen(q)})
			return
		}
	}
}
