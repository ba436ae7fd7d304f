package lobby

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// modCommands keep the peace: who may speak, who may act, what players complain about, and
// what those with a role have done.
func modCommands() []*command {
	return []*command{
		{name: "role", args: "<known player> <visitor|player|builder|moderator>", help: "Gives a player a role: visitors change nothing, builders edit many blocks at once, moderators kick, ban, mute and jail.", needs: decision.MayOperate, run: (*call).role},
		{name: "mute", args: "<known player> [30m|12h|7d] [reason]", help: "Lets a player say nothing to others.", needs: decision.MayMute, run: restrain(decision.Mute, "is muted")},
		{name: "unmute", args: "<known player>", help: "Lets a player speak again.", needs: decision.MayMute, run: relieve(decision.Mute, "muted", "may speak again")},
		{name: "jail", args: "<known player> [30m|12h|7d] [reason]", help: "Lets a player change nothing, open nothing, and not get away by /spawn or /home.", needs: decision.MayJail, run: restrain(decision.Jail, "is in jail")},
		{name: "free", args: "<known player>", help: "Lets a player out of jail.", needs: decision.MayJail, run: relieve(decision.Jail, "in jail", "is free")},
		{name: "report", args: "<known player> <message>", help: "Tells the moderators about a player.", run: (*call).report},
		{name: "reports", args: "list | done <count>", help: "Lists what players have reported, or ends a report by its number.", needs: decision.MayModerate, run: (*call).reports},
		{name: "audit", args: "[count]", help: "Lists what operators and moderators have done last.", needs: decision.MayModerate, run: (*call).auditLog},
	}
}

func (c *call) role() error {
	if len(c.args) != 2 || !slices.Contains(decision.Appointments, c.arg(1)) {
		return errUsage
	}
	p, err := c.playerKnown(c.arg(0))
	if err != nil {
		return err
	}
	if c.cfg.Decisions.IsOperator(p.id) {
		return userErrorf("%s is an operator: /deop first.", p.rec.Name)
	}
	role := c.arg(1)
	keep := c.cfg.Decisions.RoleOf(p.id) == decision.RoleModerator && role != decision.RoleModerator.String()
	c.propose(decision.Statement{Topic: decision.Appoint, On: true, Keep: keep, Subject: p.id, Name: p.rec.Name, Text: role}, p.rec.Name+" is a "+role+" now.")
	return nil
}

// outranks refuses what a player may not do to another.
func (c *call) outranks(p *player) error {
	log := c.cfg.Decisions
	switch {
	case log.IsOperator(p.id):
		return userErrorf("%s is an operator: /deop first.", p.rec.Name)
	case log.RoleOf(p.id) >= log.RoleOf(c.from.id):
		return userErrorf("%s is a %s, as you are.", p.rec.Name, log.RoleOf(p.id))
	}
	return nil
}

// restrain is a command that takes something from a player, for a time or for good.
func restrain(t decision.Topic, what string) func(*call) error {
	return func(c *call) error {
		if len(c.args) == 0 {
			return errUsage
		}
		p, err := c.playerKnown(c.arg(0))
		if err == nil {
			err = c.outranks(p)
		}
		if err != nil {
			return err
		}
		s := decision.Statement{Topic: t, On: true, Subject: p.id, Name: p.rec.Name}
		next := 1
		if d, ok := span(c.arg(1)); ok {
			s.Until, next = c.unix()+int64(d/time.Second), 2
		}
		s.Text = strings.TrimSuffix(cut(c.rest(next), decision.MaxText), ".")
		c.propose(s, p.rec.Name+" "+what+".")
		return nil
	}
}

// relieve is a command that ends what restrain began.
func relieve(t decision.Topic, state, then string) func(*call) error {
	return func(c *call) error {
		if len(c.args) != 1 {
			return errUsage
		}
		s := c.named(t, c.arg(0))
		if s == nil || s.Over(c.Lobby.time()) {
			return userErrorf("%q is not %s.", c.arg(0), state)
		}
		c.propose(decision.Statement{Topic: t, Subject: s.Subject, Name: s.Name}, s.Name+" "+then+".")
		return nil
	}
}

// A journal is a bounded list in the lobby's space: of two kinds, what players have
// reported (r/<number>) and what those with a role have done (a/<number>).
type journal struct {
	prefix string
	most   int
	list   []entry
}

type entry struct {
	Number int64  `json:"number"`
	Time   int64  `json:"time"` // Unix seconds
	By     string `json:"by"`   // the name
	Who    id.ID  `json:"who"`
	Line   string `json:"line"`             // what was typed
	Signed string `json:"signed,omitempty"` // the decision or order, base64
}

const (
	maxReports = 200
	maxAudit   = 1000
	shownLines = 20
)

func (j *journal) key(number int64) string { return fmt.Sprintf("%s%010d", j.prefix, number) }

// add writes an entry, in place of the oldest if there are too many.
func (h *Lobby) add(j *journal, e entry) {
	e.Number, e.Time = 1, h.unix()
	if n := len(j.list); n > 0 {
		e.Number = j.list[n-1].Number + 1
	}
	j.list = append(j.list, e)
	var gone []string
	for len(j.list) > j.most {
		gone = append(gone, j.key(j.list[0].Number))
		j.list = j.list[1:]
	}
	h.write(map[string]any{j.key(e.Number): e}, gone, nil)
}

// audit writes down what somebody has done by a role; the signature shows who it was.
func (c *call) audit(signed []byte) {
	if c.from.role < decision.RoleModerator {
		return
	}
	c.add(&c.deeds, entry{By: c.from.rec.Name, Who: c.from.id, Line: "/" + c.line, Signed: base64.StdEncoding.EncodeToString(signed)})
}

func (c *call) auditLog() error {
	n := shownLines
	if len(c.args) > 0 {
		var err error
		if n, err = strconv.Atoi(c.arg(0)); err != nil || n < 1 || len(c.args) > 1 {
			return errUsage
		}
	}
	c.show(&c.deeds, n, "Nothing was done yet.")
	return nil
}

// show lists the last entries of a journal, the newest last.
func (c *call) show(j *journal, n int, none string) {
	var lines []string
	for _, e := range j.list[max(0, len(j.list)-n):] {
		lines = append(lines, fmt.Sprintf("%d. %s %s: %s", e.Number, time.Unix(e.Time, 0).UTC().Format("2006-01-02 15:04"), e.By, e.Line))
	}
	for len(lines) > 1 && len(strings.Join(lines, "\n")) > maxReply {
		lines = lines[1:]
	}
	if len(lines) == 0 {
		lines = []string{none}
	}
	c.reply("%s", strings.Join(lines, "\n"))
}

func (c *call) report() error {
	if len(c.args) < 2 {
		return errUsage
	}
	about, err := c.playerKnown(c.arg(0))
	if err != nil {
		return err
	}
	c.add(&c.complaints, entry{By: c.from.rec.Name, Who: c.from.id, Line: about.rec.Name + ": " + cut(c.rest(1), decision.MaxText)})
	for _, p := range c.here {
		if p.role.May(decision.MayModerate) {
			c.tell(p, wire.ChatSystem, "%s reports %s: %s", c.from.rec.Name, about.rec.Name, c.rest(1))
		}
	}
	c.reply("The moderators will read it.")
	return nil
}

func (c *call) reports() error {
	switch {
	case c.arg(0) == "list" && len(c.args) == 1 || len(c.args) == 0:
		c.show(&c.complaints, shownLines, "Nobody has reported anything.")
		return nil
	case c.arg(0) == "done" && len(c.args) == 2:
		j := &c.complaints
		i := slices.IndexFunc(j.list, func(e entry) bool { return strconv.FormatInt(e.Number, 10) == c.arg(1) })
		if i < 0 {
			return userErrorf("There is no report %s. /reports lists them.", c.arg(1))
		}
		c.write(nil, []string{j.key(j.list[i].Number)}, nil)
		j.list = slices.Delete(j.list, i, i+1)
		c.reply("Report %s is done.", c.arg(1))
		return nil
	}
	return errUsage
}
