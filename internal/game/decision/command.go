package decision

import (
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// Asks reports whether a line that a player typed asks for a statement. A client
// signs nothing else, whatever it is given to sign: the host of the lobby may be
// hostile. The browser client has the same rules (web/src/net/decisions.ts).
func Asks(line string, s *Statement) bool {
	words := strings.Fields(strings.TrimPrefix(line, "/"))
	if !strings.HasPrefix(line, "/") || len(words) == 0 {
		return false
	}
	verb, args := strings.ToLower(words[0]), words[1:]
	if s.Topic == Setting || s.Topic == Warp {
		return s.settingAskedBy(verb, args)
	}
	if len(args) == 0 {
		return false
	}
	if verb == "whitelist" {
		verb += " " + strings.ToLower(args[0])
		args = args[1:]
	}
	if verb == "time" && s.Topic == Time && len(args) == 2 {
		// What time it is after "add" only the lobby knows.
		return args[0] == "set" && args[1] == s.Text || args[0] == "add"
	}
	want, ok := verbs[verb]
	if !ok || s.Topic != want.topic || s.On != want.on {
		return false
	}
	switch s.Topic {
	case Whitelist:
		return len(args) == 0
	case Land:
		return s.landAskedBy(args)
	case Appoint:
		if len(args) < 2 || args[len(args)-1] != s.Text {
			return false
		}
	}
	if s.Topic == AddressBan { // an abbreviation of one address is another address
		return s.Name != "" && s.Name == args[0]
	}
	typed := wire.FoldName(strings.ReplaceAll(strings.Join(args, " "), `"`, ""))
	name := wire.FoldName(s.Name)
	if name == "" || typed == "" {
		return false
	}
	// The name may be followed by more. It may be abbreviated, but not where somebody
	// would become an operator by a mistake.
	rest, whole := strings.CutPrefix(typed, name)
	if whole && (rest == "" || rest[0] == ' ') {
		return true
	}
	return !(s.Topic == Operator && s.On) && strings.HasPrefix(name, wire.FoldName(strings.Trim(args[0], `"`)))
}

// verbs are the commands that are decisions.
var verbs = map[string]struct {
	topic Topic
	on    bool
}{
	"op": {Operator, true}, "deop": {Operator, false}, "ban": {Ban, true}, "unban": {Ban, false},
	"role": {Appoint, true}, "mute": {Mute, true}, "unmute": {Mute, false}, "jail": {Jail, true}, "free": {Jail, false},
	"claim": {Land, true}, "unclaim": {Land, false}, "trust": {Trust, true}, "untrust": {Trust, false},
	"banip": {AddressBan, true}, "unbanip": {AddressBan, false},
	"whitelist on": {Whitelist, true}, "whitelist off": {Whitelist, false},
	"whitelist add": {Listed, true}, "whitelist remove": {Listed, false},
}
