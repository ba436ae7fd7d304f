package hall

import (
	"strconv"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/wire"
)

// keeperCommands say who may enter and who may command.
func keeperCommands() []*command {
	return []*command{
		{name: "kick", args: "<player> [reason]", help: "Sends a player out; they may come back.", operator: true, run: (*call).kick},
		{name: "ban", args: "<known player> [30m|12h|7d] [reason]", help: "Keeps a player out, by name and by key, for a time or for good.", operator: true, run: (*call).ban},
		{name: "unban", args: "<known player>", help: "Lets a banned player in again.", operator: true, run: (*call).unban},
		{name: "bans", help: "Lists who is banned.", operator: true, run: (*call).listBans},
		{name: "op", args: "<known player>", help: "Makes a player an operator.", operator: true, run: func(c *call) error { return c.setOperator(true) }},
		{name: "deop", args: "<known player>", help: "Takes the operator's rights from a player.", operator: true, run: func(c *call) error { return c.setOperator(false) }},
		{name: "whitelist", args: "on | off | list | add <known player> | remove <known player>", help: "Lets only some players in.", operator: true, run: (*call).whitelist},
		{name: "hosts", args: "list | remove <text>", help: "Lists and removes the nodes that host this world, for operators on the founder's machine.", operator: true, run: (*call).hosts},
	}
}

func (c *call) kick() error {
	if len(c.args) == 0 {
		return errUsage
	}
	p, err := c.playerHere(c.arg(0))
	if err != nil {
		return err
	}
	text := "You were asked to leave"
	if reason := c.rest(1); reason != "" {
		text += ": " + reason
	}
	c.throwOut(p, wire.Kicked, text+".")
	c.reply("%s was sent out.", p.rec.Name)
	return nil
}

// throwOut ends a player's session; the region saves the player when it sees
// the link closed.
func (h *Hall) throwOut(p *player, code wire.Code, text string) {
	delete(h.sessions, p.session)
	h.refuse(p.session, refusal(code, text))
	h.gone(p)
}

func (c *call) ban() error {
	if len(c.args) == 0 {
		return errUsage
	}
	b, p, err := c.whomToBan(c.arg(0))
	if err != nil {
		return err
	}
	next := 1
	if d, ok := span(c.arg(1)); ok {
		b.Until = c.unix() + int64(d/time.Second)
		next = 2
	}
	b.By, b.Reason = c.from.rec.Name, strings.TrimSuffix(c.rest(next), ".")
	fold := wire.FoldName(b.Name)
	c.bans[fold] = b
	if p != nil && p.here {
		c.throwOut(p, wire.Banned, b.text())
	}
	c.write(map[string]any{"b/" + fold: b}, nil, func(err error) {
		c.done(err, "%s is banned.", b.Name)
	})
	return nil
}

// whomToBan finds the player, who need not have been here ever.
func (c *call) whomToBan(name string) (*ban, *player, error) {
	p, err := c.playerKnown(name)
	if err != nil {
		clean, err := wire.CleanName(name)
		if err != nil {
			return nil, nil, sorry("%q cannot be a name.", name)
		}
		return &ban{Name: clean}, nil, nil
	}
	if p.rec.Operator {
		return nil, nil, sorry("%s is an operator: /deop first.", p.rec.Name)
	}
	return &ban{Name: p.rec.Name, Player: p.id}, p, nil
}

// span reads 30m, 12h, 7d.
func span(s string) (time.Duration, bool) {
	if len(s) < 2 {
		return 0, false
	}
	unit, ok := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}[s[len(s)-1]]
	n, err := strconv.ParseUint(s[:len(s)-1], 10, 16)
	if !ok || err != nil || n == 0 {
		return 0, false
	}
	return time.Duration(n) * unit, true
}

func (c *call) unban() error {
	if len(c.args) != 1 {
		return errUsage
	}
	fold := wire.FoldName(c.arg(0))
	b := c.bans[fold]
	if b == nil {
		return sorry("%q is not banned.", c.arg(0))
	}
	delete(c.bans, fold)
	c.write(nil, []string{"b/" + fold}, func(err error) { c.done(err, "%s may come in again.", b.Name) })
	return nil
}

func (c *call) listBans() error {
	var names []string
	for _, fold := range sortedKeys(c.bans) {
		if b := c.bans[fold]; !b.over(c.unix()) {
			names = append(names, b.Name)
		}
	}
	if len(names) == 0 {
		c.reply("Nobody is banned.")
		return nil
	}
	c.reply("Banned: %s.", clip(strings.Join(names, ", ")))
	return nil
}

// clip shortens what is too long for a line of chat.
func clip(s string) string {
	if len(s) > maxReply {
		return strings.ToValidUTF8(s[:maxReply], "") + "…"
	}
	return s
}

func (c *call) setOperator(operator bool) error {
	if len(c.args) != 1 {
		return errUsage
	}
	p, err := c.playerKnown(c.arg(0))
	if err != nil {
		return err
	}
	if p.rec.Operator == operator {
		return sorry("%s is %s.", p.rec.Name, map[bool]string{true: "an operator already", false: "no operator"}[operator])
	}
	if !operator && c.lastOperator(p.id) {
		return sorry("%s is the only operator: make another one first.", p.rec.Name)
	}
	if operator && len(c.operators()) >= MaxOperators {
		return sorry("A world can have at most %d operators: /deop somebody first.", MaxOperators)
	}
	p.rec.Operator = operator
	c.lawsToAll()
	if p.here {
		c.order(p, Order{Kind: SetOperator, Operator: operator})
		c.sendCommands(p)
	}
	text := "%s is an operator now."
	if !operator {
		text = "%s is no operator any more."
	}
	c.writePlayer(p, func(err error) {
		if p != c.from {
			c.tell(p, wire.ChatSystem, text, p.rec.Name)
		}
		c.done(err, text, p.rec.Name)
	})
	return nil
}

func (c *call) lastOperator(who id.ID) bool {
	for _, p := range c.players {
		if p.rec.Operator && p.id != who {
			return false
		}
	}
	return true
}

func (c *call) whitelist() error {
	switch what := c.arg(0); {
	case (what == "on" || what == "off") && len(c.args) == 1:
		c.world.Whitelist = what == "on"
		text := "The whitelist is %s."
		if what == "off" && c.cfg.Whitelist() {
			text = "The whitelist is %s for operators, but the founder's machine runs with --whitelist: it stays on until that is started without."
		}
		c.writeWorld(func(err error) { c.done(err, text, what) })
	case what == "list" && len(c.args) == 1:
		c.listWhite()
	case (what == "add" || what == "remove") && len(c.args) == 2:
		return c.changeWhite(what == "add")
	default:
		return errUsage
	}
	return nil
}

// hosts is where /hosts is typed anywhere but on the founder's machine, whose node
// runs it: what removes a node is signed with the founder's key.
func (c *call) hosts() error {
	return sorry("Only on the founder's machine can this be done: play there and type it again, or run: voxelpopuli world hosts %q", c.cfg.Name)
}

func (c *call) listWhite() {
	state := "off"
	if c.whitelisted() {
		state = "on"
	}
	var names []string
	for _, fold := range sortedKeys(c.white) {
		names = append(names, c.white[fold])
	}
	if len(names) == 0 {
		names = []string{"nobody"}
	}
	c.reply("The whitelist is %s: %s.", state, clip(strings.Join(names, ", ")))
}

func (c *call) changeWhite(add bool) error {
	name, err := wire.CleanName(c.arg(1))
	if err != nil {
		return sorry("%q cannot be a name.", c.arg(1))
	}
	fold := wire.FoldName(name)
	if !add {
		if c.white[fold] == "" {
			return sorry("%s is not on the whitelist.", name)
		}
		delete(c.white, fold)
		c.write(nil, []string{"l/" + fold}, func(err error) { c.done(err, "%s is not on the whitelist any more.", name) })
		return nil
	}
	c.white[fold] = name
	c.write(map[string]any{"l/" + fold: name}, nil, func(err error) { c.done(err, "%s is on the whitelist.", name) })
	return nil
}
