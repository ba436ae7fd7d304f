package lobby

import (
	"errors"
	"fmt"
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/core/closest"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// command is a slash command.
type command struct {
	name  string
	args  string // see grammar.go
	help  string
	needs decision.Permission
	run   func(c *call) error
}

// call is one use of a command.
type call struct {
	*Lobby
	*command
	from *player
	said *Say
	line string          // what was typed after the slash
	args []decision.Word // without the command's name
}

// userError is an error that is shown to the player who typed: a sentence.
type userError string

func (c userError) Error() string { return string(c) }

func userErrorf(format string, args ...any) error { return userError(fmt.Sprintf(format, args...)) }

// errUsage makes the answer the command's usage.
var errUsage = errors.New("usage")

// commands is the table of all commands, in the order of /help. It is filled
// by init because /help reads it.
var commands []*command

func init() {
	commands = concat(talkCommands(), playCommands(), placeCommands(), landCommands(), undoCommands(), buildCommands(), worldCommands(), modCommands(), adminCommands())
}

func concat(lists ...[]*command) (out []*command) {
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

func findCommand(name string) *command {
	for _, c := range commands {
		if c.name == name {
			return c
		}
	}
	return nil
}

// command runs a line that began with a slash (which is cut off).
func (h *Lobby) command(from *player, said *Say, line string) {
	words, err := decision.Words(line)
	if err != nil {
		h.tell(from, wire.ChatError, "The command cannot be read: %v.", err)
		return
	}
	if len(words) == 0 {
		h.tell(from, wire.ChatError, "Type a command after the slash. /help lists them.")
		return
	}
	cmd := findCommand(strings.ToLower(words[0].Text))
	if cmd == nil || !from.role.May(cmd.needs) {
		h.tell(from, wire.ChatError, "%s", unknown(from, cmd, words[0].Text))
		return
	}
	c := &call{Lobby: h, command: cmd, from: from, said: said, line: line, args: words[1:]}
	if err := cmd.run(c); err == errUsage {
		text := "Usage: " + cmd.usage()
		if meant := c.meant(); meant != "" {
			text += "." + meant
		}
		c.fail("%s", text)
	} else if err != nil {
		c.fail("%v", err)
	}
}

func unknown(from *player, cmd *command, name string) string {
	if cmd != nil {
		return fmt.Sprintf("/%s is for %ss.", cmd.name, cmd.needs.Needs())
	}
	var names []string
	for _, c := range commandsOf(from) {
		names = append(names, c.name)
	}
	return fmt.Sprintf("There is no command /%s.%s /help lists them.", name, closest.Question(name, "/", names))
}

// commandsOf are the commands that a player may use.
func commandsOf(p *player) (out []*command) {
	for _, c := range commands {
		if p.role.May(c.needs) {
			out = append(out, c)
		}
	}
	return out
}

// usage is how a command is typed.
func (c *command) usage() string {
	return strings.TrimSpace("/" + c.name + " " + strings.ReplaceAll(c.args, "known player", "player"))
}

func (c *call) reply(format string, args ...any) { c.tell(c.from, wire.ChatSystem, format, args...) }
func (c *call) fail(format string, args ...any)  { c.tell(c.from, wire.ChatError, format, args...) }

// arg returns the n-th argument, empty if there is none.
func (c *call) arg(n int) string {
	if n < len(c.args) {
		return c.args[n].Text
	}
	return ""
}

// rest returns the line from the n-th argument on, as it was typed.
func (c *call) rest(n int) string {
	if n >= len(c.args) {
		return ""
	}
	return strings.TrimSpace(c.line[c.args[n].At:])
}

// sendCommands tells a player's client what it may complete: each form of each
// command that the player may use.
func (h *Lobby) sendCommands(p *player) {
	m := &Commands{}
	for _, c := range commandsOf(p) {
		for _, form := range c.forms() {
			m.List = append(m.List, wire.Command{Name: c.name, Args: form, Help: c.help})
		}
	}
	h.env.Send(p.session, m)
}

// playerHere finds somebody who is here by name, or by the beginning of a name
// that fits only one.
func (h *Lobby) playerHere(name string) (*player, error) {
	fold := wire.FoldName(name)
	if p := h.names.holder(name); p != nil && p.here {
		return p, nil
	}
	var found []*player
	for _, p := range h.here {
		if fold != "" && strings.HasPrefix(wire.FoldName(p.rec.Name), fold) {
			found = append(found, p)
		}
	}
	switch len(found) {
	case 0:
		var names []string
		for _, p := range h.here {
			names = append(names, p.rec.Name)
		}
		return nil, userErrorf("Nobody here is called %q.%s", name, closest.Question(name, "", names))
	case 1:
		return found[0], nil
	}
	return nil, userErrorf("%q could be %s: write more of the name.", name, plural(len(found), "player"))
}

// playerKnown finds anybody who was ever in the world.
func (h *Lobby) playerKnown(name string) (*player, error) {
	if p := h.names.holder(name); p != nil && !p.claimingFirst() {
		return p, nil
	}
	return h.playerHere(name)
}

// claimingFirst reports a player whose very first claim is not yet on disk.
func (p *player) claimingFirst() bool { return p.claiming && p.rec.Epoch == 0 && !p.here }
