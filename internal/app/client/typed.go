package client

import (
	"slices"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
)

// maxLines is how many commands of the player wait for something to sign.
const maxLines = 8

// typedLines are the last commands of a player for which nothing was signed yet.
type typedLines struct {
	mu    sync.Mutex
	lines []string
}

func (t *typedLines) add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
	t.lines = t.lines[max(0, len(t.lines)-maxLines):]
}

// take reports whether a command of the player asks for what is to be signed; it does so
// once.
func (t *typedLines) take(asks func(line string) bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.lines, asks)
	if i >= 0 {
		t.lines = slices.Delete(t.lines, i, i+1)
	}
	return i >= 0
}

// sign returns a proposal, signed; nil: the player has not asked for it.
func (t *typedLines) sign(who Identity, proposal []byte) []byte {
	if decision.IsOrder(proposal) {
		o, err := decision.DecodeOrder(proposal)
		if err != nil || !t.take(func(line string) bool { return o.AskedBy(line, who.Player(), time.Now()) }) {
			return nil
		}
		o.Sign(who.Key)
		return o.Append(nil)
	}
	s, err := decision.Decode(proposal)
	if err != nil || !t.take(func(line string) bool { return decision.Asks(line, s) }) {
		return nil
	}
	s.Sign(who.Key)
	return s.Append(nil)
}
