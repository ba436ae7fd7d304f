package lobby

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// LineSignature is a player's signature of a line that it has typed. It names the world, the
// tick, the player and its name: whoever passes the line on can hold it back, and neither
// change it nor show it as somebody else's.
type LineSignature struct {
	Key  [32]byte
	Name string // as the player has typed it to enter
	Tick uint64 // of the world; each line of a player has another one
	Sig  [64]byte
}

// LineAge is how many ticks a line may be older or newer than the time at which it comes:
// sessions repeat lines of the last minute to another host of the lobby, and clocks differ.
const LineAge = 2 * 60 * 20

// errLine is for words that are not what a player has signed.
var errLine = errors.New("words that no player has signed")

// Verify reports whether the key has signed a line.
func (s *LineSignature) Verify(world id.ID, line string) bool {
	return ed25519.Verify(s.Key[:], wire.LineText(world, s.Tick, s.Name, line), s.Sig[:])
}

// isOf reports whether a line was typed at about a tick.
func (s *LineSignature) isOf(tick int64) bool {
	d := tick - int64(min(s.Tick, 1<<62))
	return d <= LineAge && -d <= LineAge
}

// By is the player.
func (s *LineSignature) By() id.ID { return id.Of(s.Key[:]) }

// Check says what is wrong with words that are shown as a player's, at a tick of the world:
// those of ChatWorld, and whispers but the copy that their author gets. Others are never
// wrong.
func (m *Chat) Check(world id.ID, tick int64) error {
	if m.Kind != wire.ChatWorld && (m.Kind != wire.ChatWhisper || m.From == "") {
		return nil
	}
	switch {
	case m.Signed == nil:
		return errLine
	case !m.Signed.isOf(tick):
		return fmt.Errorf("%w: of another time", errLine)
	case !m.Signed.Verify(world, m.Line):
		return fmt.Errorf("%w: the signature is wrong", errLine)
	}
	name, err := wire.CleanName(m.Signed.Name)
	if err != nil {
		return errLine
	}
	from, text := spoken(name, m.Line, m.Kind == wire.ChatWhisper)
	if text == "" || from != m.From || text != m.Text {
		return fmt.Errorf("%w: it has signed others", errLine)
	}
	return nil
}

// shown adds to what is shown of a line what its player has signed.
func (m *Say) shown(c Chat) *Chat {
	if m.Signed != nil {
		c.Line, c.Signed = m.Text, m.Signed
	}
	return &c
}

// spoken is how a line is shown that everybody or, whispered, one player reads: in whose name,
// and what. No text: it is no such line.
func spoken(name, line string, whispered bool) (from, text string) {
	line = wire.CleanText(line)
	command, isCommand := strings.CutPrefix(line, "/")
	if !isCommand {
		if whispered {
			return "", ""
		}
		return name, line
	}
	words, err := decision.Words(command)
	if err != nil || len(words) == 0 {
		return "", ""
	}
	rest := func(n int) string {
		if n >= len(words) {
			return ""
		}
		return strings.TrimSpace(command[words[n].At:])
	}
	switch verb := strings.ToLower(words[0].Text); {
	case verb == "msg" && whispered:
		return name, rest(2)
	case verb == "me" && !whispered && rest(1) != "":
		return "", name + " " + rest(1)
	}
	return "", ""
}

// Lines are the lines that players have signed lately: each counts once.
type Lines struct{ ticks map[id.ID][]uint64 }

// maxLineAuthors and maxLinesKept bound what is remembered.
const (
	maxLineAuthors = 1 << 12
	maxLinesKept   = 256
)

// Add reports whether a line comes for the first time, and remembers it.
func (l *Lines) Add(s *LineSignature, tick int64) bool {
	who := s.By()
	kept := slices.DeleteFunc(l.ticks[who], func(t uint64) bool { return int64(t)+LineAge < tick })
	if slices.Contains(kept, s.Tick) {
		return false
	}
	if l.ticks == nil || len(kept) == 0 && len(l.ticks) >= maxLineAuthors {
		l.ticks = map[id.ID][]uint64{}
	}
	l.ticks[who] = append(kept[max(0, len(kept)+1-maxLinesKept):], s.Tick)
	return true
}

// hasSigned reports whether a player has signed a line that it says here, as it must where
// players sign what they do.
func (h *Lobby) hasSigned(p *player, m *Say) bool {
	if !h.cfg.Signed {
		return true
	}
	s := m.Signed
	return s != nil && s.By() == p.id && s.Name == p.typed && s.isOf(h.tick()) && s.Verify(h.cfg.Decisions.World(), m.Text)
}
