// Package line is what players sign of what they say (decision 233): chat, "/me", whispers
// and "/near". Whoever passes a line on can hold it back, and neither change it nor show it
// as somebody else's. Begin with Signature.Check.
package line

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// Signature is a player's signature of a line that it has typed. It names the world, the
// tick, the player and its name.
type Signature struct {
	Key  [32]byte
	Name string // as the player has typed it to enter
	Tick uint64 // of the world; each line of a player has another one
	Sig  [64]byte
}

// Age is how many ticks a line may be older or newer than the time at which it comes:
// sessions repeat lines of the last minute to another host of the lobby, and clocks differ.
const Age = 2 * 60 * 20

// ErrUnsigned is for words that are not what a player has signed.
var ErrUnsigned = errors.New("words that no player has signed")

// Audience is who is to read a line.
type Audience int

const (
	Everybody Audience = iota // chat, /me
	OnePlayer                 // /msg
	Near                      // /near
)

// Verify reports whether the key has signed a line.
func (s *Signature) Verify(world id.ID, typed string) bool {
	return ed25519.Verify(s.Key[:], wire.LineText(world, s.Tick, s.Name, typed), s.Sig[:])
}

// IsOf reports whether a line was typed at about a tick.
func (s *Signature) IsOf(tick int64) bool {
	d := tick - int64(min(s.Tick, 1<<62))
	return d <= Age && -d <= Age
}

// By is the player.
func (s *Signature) By() id.ID { return id.Of(s.Key[:]) }

// Check says what is wrong with words that are shown to an audience at a tick of the world, in
// somebody's name, or in nobody's if the words begin with it, as those of a player who has
// typed a line. No signature is wrong.
func (s *Signature) Check(world id.ID, tick int64, typed string, to Audience, from, text string) error {
	switch {
	case s == nil:
		return ErrUnsigned
	case !s.IsOf(tick):
		return fmt.Errorf("%w: of another time", ErrUnsigned)
	case !s.Verify(world, typed):
		return fmt.Errorf("%w: the signature is wrong", ErrUnsigned)
	}
	name, err := wire.CleanName(s.Name)
	if err != nil {
		return ErrUnsigned
	}
	author, words := Spoken(name, typed, to)
	if words == "" || author != from || words != text {
		return fmt.Errorf("%w: it has signed others", ErrUnsigned)
	}
	return nil
}

// Spoken is how a line is shown to an audience: in whose name, and what. No text: it is no
// such line.
func Spoken(name, typed string, to Audience) (from, text string) {
	typed = wire.CleanText(typed)
	command, isCommand := strings.CutPrefix(typed, "/")
	if !isCommand {
		if to != Everybody {
			return "", ""
		}
		return name, typed
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
	case verb == "msg" && to == OnePlayer:
		return name, rest(2)
	case verb == "near" && to == Near:
		return name, rest(1)
	case verb == "me" && to == Everybody && rest(1) != "":
		return "", name + " " + rest(1)
	}
	return "", ""
}
