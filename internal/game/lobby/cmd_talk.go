package lobby

import (
	"strings"

	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

const (
	listNames = 60   // names in the answer of /list; more are counted
	maxReply  = 2000 // bytes of an answer; a line of chat has room for twice as many
)

// talkCommands are about people talking to each other.
func talkCommands() []*command {
	return []*command{
		{name: "help", args: "[command]", help: "Lists the commands, or explains one.", run: (*call).help},
		{name: "list", help: "Says who is here.", run: (*call).who},
		{name: "near", args: "<message>", help: "Speaks to those who are near.", run: (*call).near},
		{name: "msg", args: "<player> <message>", help: "Whispers to one player.", run: (*call).whisper},
		{name: "me", args: "<message>", help: "Says what you do.", run: (*call).me},
	}
}

func (c *call) help() error {
	if name := strings.TrimPrefix(strings.ToLower(c.arg(0)), "/"); name != "" {
		cmd := findCommand(name)
		if cmd == nil || !c.from.role.May(cmd.needs) {
			c.fail("%s", unknown(c.from, cmd, name))
			return nil
		}
		c.reply("%s: %s", cmd.usage(), cmd.help)
		return nil
	}
	var lines []string
	for _, cmd := range commandsOf(c.from) {
		lines = append(lines, cmd.usage())
	}
	c.reply("%s\n/help <command> explains one.", strings.Join(lines, "\n"))
	return nil
}

func (c *call) who() error {
	if len(c.here) == 0 { // a console asks
		c.reply("Nobody is here.")
		return nil
	}
	var names []string
	for _, p := range c.here {
		if len(names) < listNames {
			names = append(names, p.rec.Name)
		}
	}
	more := ""
	if n := len(c.here) - len(names); n > 0 {
		more = " and " + plural(n, "other")
	}
	is := "are"
	if len(c.here) == 1 {
		is = "is"
	}
	c.reply("%s %s here: %s%s.", plural(len(c.here), "player"), is, strings.Join(names, ", "), more)
	return nil
}

func (c *call) near() error {
	if c.silenced(c.from) {
		return nil
	}
	if c.rest(0) == "" {
		return errUsage
	}
	c.errand(c.from, Order{Near: c.said.Text, Line: c.said.Signed})
	return nil
}

func (c *call) whisper() error {
	if c.silenced(c.from) {
		return nil
	}
	if len(c.args) < 2 {
		return errUsage
	}
	to, err := c.playerHere(c.arg(0))
	if err != nil {
		return err
	}
	text := c.rest(1)
	c.env.Send(to.session, c.said.shown(Chat{Kind: wire.ChatWhisper, From: c.from.rec.Name, Text: text}))
	if to != c.from {
		c.tell(c.from, wire.ChatWhisper, "to %s: %s", to.rec.Name, text)
	}
	return nil
}

func (c *call) me() error {
	if c.silenced(c.from) {
		return nil
	}
	text := c.rest(0)
	if text == "" {
		return errUsage
	}
	c.toAll(c.said.shown(Chat{Kind: wire.ChatWorld, Text: c.from.rec.Name + " " + text}))
	return nil
}
