package lobby

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// adminCommands control access: bans, the whitelist, operators.
func adminCommands() []*command {
	return []*command{
		{name: "kick", args: "<player> [reason]", help: "Sends a player out; they may come back.", needs: decision.MayKick, run: (*call).kick},
		{name: "ban", args: "<known player> [30m|12h|7d] [reason]", help: "Keeps a player out, by name and by key, for a time or for good.", needs: decision.MayBan, run: (*call).ban},
		{name: "unban", args: "<known player>", help: "Lets a banned player in again.", needs: decision.MayBan, run: (*call).unban},
		{name: "banip", args: "<address> [30m|12h|7d] [reason]", help: "Keeps out who comes from an IP address or a network, such as 192.0.2.0/24. IPv6: the whole /64.", needs: decision.MayOperate, run: (*call).banAddress},
		{name: "unbanip", args: "<address>", help: "Lets in again who comes from an address.", needs: decision.MayOperate, run: (*call).unbanAddress},
		{name: "bans", help: "Lists who is banned.", needs: decision.MayBan, run: (*call).listBans},
		{name: "op", args: "<known player>", help: "Makes a player an operator.", needs: decision.MayOperate, run: (*call).op},
		{name: "deop", args: "<known player> | <known player> undo", help: "Takes the operator's rights from a player, and from those whom the player has made operators; undo: their bans end too.", needs: decision.MayOperate, run: (*call).deop},
		{name: "whitelist", args: "on | off | list | add <known player> [player id] | remove <known player>", help: "Lets only some players in. Who has never been here is named by the player id that the page shows.", needs: decision.MayOperate, run: (*call).whitelist},
		{name: "hosts", args: "list | remove <name>", help: "Lists and removes the nodes that host this world, for operators on the founder's machine.", needs: decision.MayOperate, run: (*call).hosts},
		{name: "states", args: "list <x> <z> | aside | show <name> | show <x> <z> <name> | restore <name> | restore <x> <z> <name>", help: "Lists earlier states of the region at x, z, or what nodes have put aside; shows what one would change, and restores it. For operators on the founder's machine.", needs: decision.MayOperate, run: (*call).states},
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
	if err := c.outranks(p); err != nil {
		return err
	}
	c.order(p, decision.Order{Kind: decision.Kick, Text: cut(c.rest(1), decision.MaxText)}, func() {
		c.reply("%s was sent out.", p.rec.Name)
	})
	return nil
}

// endSession ends a player's session; the region saves the player when it sees
// the link closed.
func (h *Lobby) endSession(p *player, r *Refused) {
	if !p.here {
		return
	}
	delete(h.sessions, p.session)
	h.refuse(p.session, r)
	h.removePresent(p)
}

func (c *call) ban() error {
	if len(c.args) == 0 {
		return errUsage
	}
	s, err := c.whomToBan(c.arg(0))
	if err != nil {
		return err
	}
	s.Topic = decision.Ban
	c.proposeBan(s)
	return nil
}

// proposeBan proposes a ban, with the time and the reason that follow its subject in
// the line.
func (c *call) proposeBan(s decision.Statement) {
	next := 1
	if d, ok := span(c.arg(1)); ok {
		s.Until = c.unix() + int64(d/time.Second)
		next = 2
	}
	s.On, s.Text = true, strings.TrimSuffix(cut(c.rest(next), decision.MaxText), ".")
	c.propose(s, s.Name+" is banned.")
}

// whomToBan finds the player; it need not have been in the world ever.
func (c *call) whomToBan(name string) (s decision.Statement, err error) {
	p, err := c.playerKnown(name)
	if err != nil {
		clean, err := wire.CleanName(name)
		if err != nil {
			return s, userErrorf("%q cannot be a name.", name)
		}
		return decision.Statement{Name: clean}, nil
	}
	if err := c.outranks(p); err != nil {
		return s, err
	}
	return decision.Statement{Name: p.rec.Name, Subject: p.id}, nil
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
	b := c.named(decision.Ban, c.arg(0))
	if b == nil || b.Over(c.Lobby.time()) {
		return userErrorf("%q is not banned.", c.arg(0))
	}
	c.propose(decision.Statement{Topic: decision.Ban, Subject: b.Subject, Name: b.Name}, b.Name+" may come in again.")
	return nil
}

// named finds the statement in force on a topic about somebody, by the name that
// it was made with or the name that the player has now.
func (c *call) named(t decision.Topic, name string) (found *decision.Statement) {
	fold := wire.FoldName(name)
	p := c.names.holder(name)
	c.cfg.Decisions.Each(t, func(s *decision.Statement) {
		if s.On && (wire.FoldName(s.Name) == fold || p != nil && s.Subject == p.id) {
			found = s
		}
	})
	return found
}

func (c *call) listBans() error {
	var names []string
	for _, topic := range []decision.Topic{decision.Ban, decision.AddressBan} {
		c.cfg.Decisions.Each(topic, func(s *decision.Statement) {
			if s.On && !s.Over(c.Lobby.time()) {
				names = append(names, s.Name)
			}
		})
	}
	if len(names) == 0 {
		c.reply("Nobody is banned.")
		return nil
	}
	slices.Sort(names)
	c.reply("Banned: %s.", clip(strings.Join(names, ", ")))
	return nil
}

// clip shortens what is too long for a line of chat.
func clip(s string) string {
	if short := cut(s, maxReply); short != s {
		return short + "…"
	}
	return s
}

// cut is a text's beginning of at most so many bytes.
func cut(s string, bytes int) string {
	if len(s) > bytes {
		return strings.ToValidUTF8(s[:bytes], "")
	}
	return s
}

func (c *call) op() error {
	if len(c.args) != 1 {
		return errUsage
	}
	p, err := c.playerKnown(c.arg(0))
	if err != nil {
		return err
	}
	if wire.FoldName(c.arg(0)) != wire.FoldName(p.rec.Name) {
		return userErrorf("Write the whole name: /op %q.", p.rec.Name)
	}
	log := c.cfg.Decisions
	if log.IsOperator(p.id) && log.Rank(p.id) <= log.Rank(c.from.id)+1 {
		return userErrorf("%s is an operator already.", p.rec.Name)
	}
	c.propose(decision.Statement{Topic: decision.Operator, On: true, Subject: p.id, Name: p.rec.Name}, p.rec.Name+" is an operator now.")
	return nil
}

func (c *call) deop() error {
	undo := c.arg(1) == "undo"
	if len(c.args) == 0 || len(c.args) > 2 || len(c.args) == 2 && !undo {
		return errUsage
	}
	p, err := c.playerKnown(c.arg(0))
	if err != nil {
		return err
	}
	log := c.cfg.Decisions
	switch {
	case !log.IsOperator(p.id):
		return userErrorf("%s is no operator.", p.rec.Name)
	case !log.MayUndo(c.from.id, p.id):
		return userErrorf("You cannot take that from %s: only who has made them an operator can, and those above.", p.rec.Name)
	}
	c.propose(decision.Statement{Topic: decision.Operator, Keep: !undo, Subject: p.id, Name: p.rec.Name}, p.rec.Name+" is no operator any more.")
	return nil
}

func (c *call) whitelist() error {
	switch what := c.arg(0); {
	case (what == "on" || what == "off") && len(c.args) == 1:
		text := "The whitelist is " + what + "."
		if what == "off" && c.cfg.Whitelist() {
			text = "The whitelist is off for operators, but the founder's machine runs with --whitelist: it stays on until that is started without."
		}
		c.propose(decision.Statement{Topic: decision.Whitelist, On: what == "on"}, text)
	case what == "list" && len(c.args) == 1:
		c.listWhite()
	case what == "add" && (len(c.args) == 2 || len(c.args) == 3):
		return c.addWhite()
	case what == "remove" && len(c.args) == 2:
		s := c.named(decision.Listed, c.arg(1))
		if s == nil {
			return userErrorf("%s is not on the whitelist.", c.arg(1))
		}
		c.propose(decision.Statement{Topic: decision.Listed, Subject: s.Subject, Name: s.Name}, s.Name+" is not on the whitelist any more.")
	default:
		return errUsage
	}
	return nil
}

// states is where /states is typed anywhere but on a machine whose node hosts the world
// with others.
func (c *call) states() error {
	return userErrorf("Only on the founder's machine can this be done, in a world that others host, too: play there and type it again.")
}

// hosts is where /hosts is typed anywhere but on the founder's machine, whose node
// runs it: what removes a node is signed with the founder's key.
func (c *call) hosts() error {
	return userErrorf("Only on the founder's machine can this be done: play there and type it again, or run: voxelpopuli world hosts %q", c.cfg.Name)
}

func (c *call) listWhite() {
	state := "off"
	if c.whitelisted() {
		state = "on"
	}
	var names []string
	c.cfg.Decisions.Each(decision.Listed, func(s *decision.Statement) {
		if s.On {
			names = append(names, s.Name)
		}
	})
	if slices.Sort(names); len(names) == 0 {
		names = []string{"nobody"}
	}
	c.reply("The whitelist is %s: %s.", state, clip(strings.Join(names, ", ")))
}

// addWhite puts a player on the whitelist, not a name, which anybody could take
// first. A player who has never been here is named by the id that its refusal
// shows.
func (c *call) addWhite() error {
	name, err := wire.CleanName(c.arg(1))
	if err != nil {
		return userErrorf("%q cannot be a name.", c.arg(1))
	}
	s := decision.Statement{Topic: decision.Listed, On: true, Name: name}
	if p := c.names.holder(name); len(c.args) == 3 {
		if s.Subject, err = id.Parse(c.arg(2)); err != nil {
			return userErrorf("%q is no player id.", c.arg(2))
		}
	} else if p != nil && !p.claimingFirst() {
		s.Subject, s.Name = p.id, p.rec.Name
	} else {
		return userErrorf("Nobody called %s has been here, and anybody could take that name first. Let %s try to come in: the page then shows a player id. Type /whitelist add %q <player id>.", name, name, name)
	}
	c.propose(s, s.Name+" is on the whitelist.")
	return nil
}
