package decision

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Settings are what operators decide about a world: a Setting statement has the setting's
// name and, as its Text, the value; off, it is what it is by itself. Warp statements name
// places for everybody: the Text is "x y z".

// Names of settings.
const (
	SetSpawn       = "spawn"        // where players begin and come back to life
	SetRules       = "rules"        // what /rules shows
	SetWelcome     = "welcome"      // what players read who come
	SetHomes       = "homes"        // how many homes a player has
	SetLands       = "lands"        // how many pieces of land a player owns
	SetLandArea    = "land-area"    // square metres of all land of a player
	SetHistoryDays = "history-days" // how long regions remember who changed what
	SetHistory     = "history"      // how many changes of blocks a region remembers
	SetBuild       = "build"        // how many blocks builders change at once
	SetFire        = "fire"         // 1: fire spreads to what is flammable; 0: nothing catches fire
	SetSleep       = "sleep"        // how many of a hundred players must sleep for the night to end; 0: it never does
)

// setting is what a setting may be: a number up to most, a text, or a place.
type setting struct {
	usual, most int
	text        bool
}

var settings = map[string]setting{
	SetSpawn: {}, SetRules: {text: true}, SetWelcome: {text: true},
	SetHomes: {3, world.MaxHomes, false}, SetLands: {8, maxOfPlayer - MaxTrusted, false}, SetLandArea: {4096, 1 << 24, false},
	SetHistoryDays: {30, 366, false}, SetHistory: {1 << 15, 1 << 18, false}, SetBuild: {1 << 12, MaxBuild, false}, SetSleep: {100, 100, false}, SetFire: {1, 1, false},
}

// SettingNames are the names of all settings, in the order in which they are shown.
var SettingNames = []string{SetSpawn, SetRules, SetWelcome, SetHomes, SetLands, SetLandArea, SetHistoryDays, SetHistory, SetBuild, SetSleep, SetFire}

// CheckSetting says why a setting cannot have a value.
func CheckSetting(name, value string) error {
	s, ok := settings[name]
	switch {
	case !ok:
		return fmt.Errorf("there is no setting %q", name)
	case name == SetSpawn:
		if _, ok := Place(value); !ok {
			return fmt.Errorf("%q is no place in the world: x y z", value)
		}
	case s.text:
		if value == "" || strings.TrimSpace(value) != value || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' }) {
			return errors.New("it takes a text of one line")
		}
	default:
		if n, err := strconv.Atoi(value); err != nil || n < 0 || n > s.most || strconv.Itoa(n) != value {
			return fmt.Errorf("%s goes from 0 to %d", name, s.most)
		}
	}
	return nil
}

// Setting is the value of a setting; empty: it is what it is by itself.
func (l *Log) Setting(name string) string {
	if s := l.Current(Setting, id.ID{}, name); s != nil && s.On {
		return s.Text
	}
	return ""
}

// Number is the value of a setting that is a number.
func (l *Log) Number(name string) int {
	if n, err := strconv.Atoi(l.Setting(name)); err == nil {
		return n
	}
	return UsualNumber(name)
}

// UsualNumber is the value of a setting that nobody has changed.
func UsualNumber(name string) int { return settings[name].usual }

// SettingStatement is the statement by which operators have changed a setting; nil: they have not.
func (l *Log) SettingStatement(name string) *Statement {
	if s := l.Current(Setting, id.ID{}, name); s != nil && s.On {
		return s
	}
	return nil
}

// Spawn is where players begin, if operators have moved it.
func (l *Log) Spawn(founded world.Pos) world.Pos {
	if p, ok := Place(l.Setting(SetSpawn)); ok {
		return p
	}
	return founded
}

// Warp is the place of a name.
func (l *Log) Warp(name string) (world.Pos, bool) {
	if s := l.Current(Warp, id.ID{}, name); s != nil && s.On {
		return Place(s.Text)
	}
	return world.Pos{}, false
}

// Place reads a block's place, "x y z".
func Place(text string) (p world.Pos, ok bool) {
	words := strings.Split(text, " ")
	if len(words) != 3 {
		return p, false
	}
	for i, n := range []*int32{&p.X, &p.Y, &p.Z} {
		v, err := strconv.ParseInt(words[i], 10, 32)
		if err != nil || v < math.MinInt32/2 || v > math.MaxInt32/2 {
			return p, false
		}
		*n = int32(v)
	}
	edge := int32(world.Limit - 2)
	ok = p.InWorld() && max(p.X, -p.X, p.Z, -p.Z) < edge && PlaceText(p) == text
	return p, ok
}

// PlaceText is what Place reads.
func PlaceText(p world.Pos) string { return fmt.Sprintf("%d %d %d", p.X, p.Y, p.Z) }

// checkPublic says what is wrong with a Setting or Warp statement.
func (s *Statement) checkPublic() error {
	_, place := Place(s.Text)
	switch {
	case !s.Subject.IsZero() || s.Until != 0 || s.Keep || !s.On && s.Text != "":
		return fmt.Errorf("%w: it is about no player", ErrFormat)
	case s.Topic == Warp && (!IsLandName(s.Name) || s.On && !place):
		return fmt.Errorf("%w: no name and place", ErrFormat)
	case s.Topic == Setting && s.On:
		if err := CheckSetting(s.Name, s.Text); err != nil {
			return fmt.Errorf("%w: %v", ErrFormat, err)
		}
	}
	return nil
}

// settingAskedBy reports whether what was typed asks for a Setting or Warp statement. The
// place where the player stands is the lobby's word.
func (s *Statement) settingAskedBy(verb string, args []string) bool {
	switch verb {
	case "setspawn":
		return s.Topic == Setting && s.On && s.Name == SetSpawn && len(args) == 0
	case "setwarp", "delwarp":
		return s.Topic == Warp && s.On == (verb == "setwarp") && len(args) == 1 && s.Name == args[0]
	case "setting":
		value := strings.Join(args[min(1, len(args)):], " ")
		return s.Topic == Setting && len(args) > 1 && s.Name == args[0] && (s.On && s.Text == value || !s.On && value == "default")
	}
	return false
}
