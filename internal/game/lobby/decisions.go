package lobby

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

// What operators decide or order is not the lobby's to say: a command makes a
// proposal, the operator's client signs it, and the node's log takes a decision or
// not; an order goes with its signature to the player's home. The lobby keeps the
// decisions in its own space as well, which is replicated, so that what was
// acknowledged survives the loss of this node.

// proposal is what waits for the signature of the player who has asked for it.
type proposal struct {
	want  []byte // the encoding without issuer and signature
	until time.Time
	take  func(signed []byte)
}

const (
	// signTime is how long a client may take to sign.
	signTime = 30 * time.Second
	// maxProposals is how many commands of one player wait for their signatures.
	maxProposals = 8
)

// ask asks a player for a signature.
func (h *Lobby) ask(p *player, want []byte, take func(signed []byte)) {
	p.proposals = append(p.proposals, &proposal{want, h.time().Add(signTime), take})
	p.proposals = p.proposals[max(0, len(p.proposals)-maxProposals):]
	h.env.Send(p.session, &Propose{want})
}

// onSigned takes what a player has signed: what was proposed to that player, nothing
// else.
func (h *Lobby) onSigned(from machine.Peer, b []byte) {
	p := h.sessions[from]
	if p == nil || !p.here || len(p.proposals) == 0 {
		return
	}
	want := decision.Unsigned(b)
	i := slices.IndexFunc(p.proposals, func(w *proposal) bool { return bytes.Equal(w.want, want) })
	if i < 0 {
		h.tell(p, wire.ChatError, "Your client has signed something else. Nothing was changed.")
		return
	}
	proposal := p.proposals[i]
	p.proposals = slices.Delete(p.proposals, i, i+1)
	if h.time().After(proposal.until) {
		h.tell(p, wire.ChatError, "The command was not signed in time. Type it again.")
		return
	}
	proposal.take(b)
}

// propose asks the player who typed a command to sign a decision; done is what the
// player reads then.
func (c *call) propose(s decision.Statement, done string) {
	log := c.cfg.Decisions
	s.World, s.Seq = log.World(), log.Next(c.from.id, c.Lobby.time())
	c.Lobby.ask(c.from, s.Append(nil), func(signed []byte) { c.decide(signed, done) })
}

func (c *call) decide(signed []byte, done string) {
	s, err := decision.Decode(signed)
	if err == nil && s.By() != c.from.id {
		err = decision.ErrSignature
	}
	if err == nil {
		err = c.cfg.Decide(s)
	}
	if err != nil {
		c.fail("That could not be decided: %v.", err)
		return
	}
	c.keepDecisions(func(err error) {
		if err != nil {
			c.fail("%s It could not be saved and holds until the node restarts: %v.", done, err)
			return
		}
		c.reply("%s", done)
	})
	c.audit(signed)
}

// order asks the player who typed a command to sign an order about a player, and
// brings it to that player's home; then, if not nil, is called when it is on its way.
func (c *call) order(who *player, o decision.Order, then func()) {
	if who.console {
		c.fail("%s", nowhere)
		return
	}
	c.lastOrder = max(c.lastOrder+1, uint64(c.Lobby.time().UnixMilli()))
	o.World, o.Seq, o.Subject, o.Name = c.cfg.Decisions.World(), c.lastOrder, who.id, who.rec.Name
	c.Lobby.ask(c.from, o.Append(nil), func(signed []byte) { c.execute(who, signed, then) })
}

func (c *call) execute(who *player, signed []byte, then func()) {
	o, err := decision.DecodeOrder(signed)
	if err == nil {
		err = o.Verify(c.cfg.Decisions.World(), c.Lobby.time(), c.cfg.Decisions.RoleOf)
	}
	switch {
	case err != nil:
		c.fail("That could not be ordered: %v.", err)
		return
	case !who.here:
		c.fail("%s is not here any more.", who.rec.Name)
		return
	}
	c.errand(who, Order{Signed: signed})
	if o.Kind == decision.Kick {
		c.endSession(who, &Refused{Code: wire.Kicked, Text: KickText(o), Order: signed})
	}
	c.audit(signed)
	if then != nil {
		then()
	}
}

// KickText is what a player reads who was kicked.
func KickText(o *decision.Order) string {
	if o.Text == "" {
		return wire.Kicked.Text()
	}
	return "You were asked to leave: " + strings.TrimSuffix(o.Text, ".") + "."
}

// onDecided is when the log has changed, whoever has decided something.
func (h *Lobby) onDecided() {
	if !h.loaded {
		return // recallDecisions sees it
	}
	for _, p := range slices.Clone(h.here) {
		if b := h.cfg.Decisions.Banned(p.id, p.rec.Name, h.time()); b != nil {
			h.endSession(p, refusal(wire.Banned, BanText(b)))
			continue
		}
		rights := h.rights(p)
		p.visitor = rights.Visits(p.invited)
		h.skins.show(p)
		if was := p.role; was != rights.Role {
			p.role = rights.Role
			h.sendCommands(p)
			h.tell(p, wire.ChatSystem, "%s", roleText(was, p.role))
		}
	}
	h.checkConsoles()
	h.tellTime()
	h.keepDecisions(nil)
}

// roleText tells a player of a new role.
func roleText(was, is decision.Role) string {
	switch {
	case was >= decision.RoleOperator && is < decision.RoleOperator:
		return "You are no operator any more."
	case is >= decision.RoleOperator:
		return "You are an operator now."
	}
	return fmt.Sprintf("You are a %s now.", is)
}

func (h *Lobby) rights(p *player) decision.Rights { return h.cfg.Decisions.Rights(p.id, h.time()) }

// tellTime tells everybody what the time of day is, if that was decided anew.
func (h *Lobby) tellTime() {
	ticks := h.cfg.Decisions.TimeOffset(h.cfg.Day, h.tickAt)
	if ticks != h.timeOffset {
		h.timeOffset = ticks
		h.toAll(&TimeOffset{Ticks: ticks})
	}
}

// recallDecisions gives the node what the lobby has on disk, which the node checks
// as if it came from anybody.
func (h *Lobby) recallDecisions() {
	var list []*decision.Statement
	for _, key := range sortedKeys(h.signed) {
		b, err := base64.StdEncoding.DecodeString(h.signed[key])
		if err != nil {
			continue // nobody has signed this
		}
		if s, err := decision.Decode(b); err == nil {
			list = append(list, s)
		}
	}
	if len(list) > 0 && h.cfg.Decide != nil {
		_ = h.cfg.Decide(list...) // what does not count is removed below
	}
	h.tellTime()
	h.keepDecisions(nil)
}

// keepDecisions writes what has changed in the log to the lobby's space.
func (h *Lobby) keepDecisions(then func(error)) {
	put, gone := map[string]any{}, []string(nil)
	has := map[string]bool{}
	for _, s := range h.cfg.Decisions.All() {
		key, text := s.Key(), base64.StdEncoding.EncodeToString(s.Append(nil))
		has[key] = true
		if h.signed[key] != text {
			h.signed[key], put["d/"+key] = text, text
		}
	}
	for _, key := range sortedKeys(h.signed) {
		if !has[key] {
			delete(h.signed, key)
			gone = append(gone, "d/"+key)
		}
	}
	if len(put)+len(gone) == 0 && then == nil {
		return
	}
	h.write(put, gone, then)
}
