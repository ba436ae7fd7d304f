package decision

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// AskedBy reports whether a line that a player typed just now asks for an order, as
// Asks does for statements. The client does not know where others are: the place of
// "/tp Bo" and what a "~" stands for are the lobby's word.
func (o *Order) AskedBy(line string, player id.ID, now time.Time) bool {
	text, slash := strings.CutPrefix(line, "/")
	words, err := Words(text)
	if !slash || err != nil || len(words) == 0 || time.UnixMilli(int64(o.Seq)).Sub(now).Abs() > OrderWindow {
		return false
	}
	var args []string
	for _, w := range words[1:] {
		args = append(args, w.Text)
	}
	self := o.Subject == player
	switch verb := strings.ToLower(words[0].Text); {
	case verb == "spawn" && o.Kind == Spawn:
		return self
	case o.toNamed():
		return self && o.namedAskedBy(verb, args)
	case verb == "homes" && o.Kind == ListHomes:
		return self
	case verb == "kick" && o.Kind == Kick && len(args) > 0:
		return o.means(args[0]) && strings.HasSuffix(strings.TrimSpace(text), o.Text)
	case verb == "gamemode" && o.Kind == SetMode && len(args) == 1:
		return self && abbreviates(args[0], o.Text)
	case verb == "gamemode" && o.Kind == SetMode && len(args) == 2:
		return o.means(args[1]) && abbreviates(args[0], o.Text)
	case verb == "give" && o.Kind == Give && (len(args) == 2 || len(args) == 3):
		count := append(args, "1")[2]
		return o.means(args[0]) && strings.ToLower(args[1]) == o.Text && count == strconv.Itoa(int(o.Count))
	case o.Kind == Build:
		return o.buildAskedBy(verb, args)
	case verb == "undo" && o.Kind == Rollback || verb == "redo" && o.Kind == Restore:
		return self && len(args) == 0
	case o.IsUndo():
		return o.undoAskedBy(verb, args)
	case verb == "tp" && o.Kind == Teleport:
		return o.teleportAskedBy(args, self)
	}
	return false
}

// means reports whether a name that was typed, or its beginning, is the subject's.
func (o *Order) means(typed string) bool {
	typed = wire.FoldName(typed)
	return typed != "" && strings.HasPrefix(wire.FoldName(o.Name), typed)
}

func abbreviates(typed, mode string) bool {
	return typed == strconv.Itoa(slices.Index(Modes, mode)) || typed != "" && strings.HasPrefix(mode, strings.ToLower(typed))
}

func (o *Order) teleportAskedBy(args []string, self bool) bool {
	if n := len(args); n == 2 || n == 4 {
		self, args = o.means(args[0]), args[1:]
	}
	switch len(args) {
	case 1:
		return self
	case 3:
		return self && near(args[0], o.At.X) && near(args[1], o.At.Y) && near(args[2], o.At.Z)
	}
	return false
}

// near reports whether a coordinate that was typed is the order's, within the block:
// whole ones mean the middle of a block.
func near(typed string, at fixed.Num) bool {
	if strings.HasPrefix(typed, "~") {
		return true
	}
	v, err := strconv.ParseFloat(typed, 64)
	return err == nil && math.Abs(v-float64(at)/float64(fixed.One)) < 1
}
