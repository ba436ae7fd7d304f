package hall

import (
	"encoding/base64"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/id"
	"github.com/voxelpopuli/voxelpopuli/internal/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/wire"
)

// What operators decide is not the hall's to say: a command makes a proposal, the
// operator's client signs it, and the node's log takes it or not. The hall keeps
// the statements in its own space as well, which is replicated, so that what was
// acknowledged survives the loss of this node.

// proposal is a decision that waits for the signature of the player who has asked
// for it.
type proposal struct {
	decision.Statement
	until time.Time
	done  string // what the player reads then
}

// signTime is how long a client may take to sign.
const signTime = 30 * time.Second

// propose asks the player who typed a command to sign a decision.
func (c *call) propose(s decision.Statement, done string) {
	log := c.cfg.Decisions
	s.World, s.Seq = log.World(), log.Next(c.from.id, c.Hall.time())
	c.from.proposal = &proposal{s, c.Hall.time().Add(signTime), done}
	c.env.Send(c.from.session, &Propose{s.Append(nil)})
}

// onSigned takes a decision that a player has signed: the one that was proposed
// to that player, nothing else.
func (h *Hall) onSigned(from machine.Peer, b []byte) {
	p := h.sessions[from]
	if p == nil || !p.here || p.proposal == nil {
		return
	}
	want := p.proposal
	p.proposal = nil
	s, err := decision.Decode(b)
	if err != nil || h.time().After(want.until) {
		h.tell(p, wire.ChatError, "The decision was not signed in time. Type the command again.")
		return
	}
	want.Issuer, want.Signature = s.Issuer, s.Signature
	if *s != want.Statement || s.By() != p.id {
		h.tell(p, wire.ChatError, "Your client has signed something else. Nothing was changed.")
		return
	}
	if err := h.cfg.Decide(s); err != nil {
		h.tell(p, wire.ChatError, "That could not be decided: %v.", err)
		return
	}
	h.keepDecisions(func(err error) {
		if err != nil {
			h.tell(p, wire.ChatError, "%s It could not be saved and holds until the node restarts: %v.", want.done, err)
			return
		}
		h.tell(p, wire.ChatSystem, "%s", want.done)
	})
}

// onDecided is when the log has changed, whoever has decided something.
func (h *Hall) onDecided() {
	if !h.loaded {
		return // recallDecisions sees it
	}
	for _, p := range slices.Clone(h.here) {
		if b := h.cfg.Decisions.Banned(p.id, p.rec.Name, h.time()); b != nil {
			h.throwOut(p, wire.Banned, BanText(b))
			continue
		}
		is := h.cfg.Decisions.IsOperator(p.id)
		if is == p.operator {
			continue
		}
		p.operator = is
		h.sendCommands(p)
		if is {
			h.tell(p, wire.ChatSystem, "You are an operator now.")
		} else {
			h.tell(p, wire.ChatSystem, "You are no operator any more.")
		}
	}
	h.keepDecisions(nil)
}

// recallDecisions gives the node what the hall has on disk, which the node checks
// as if it came from anybody.
func (h *Hall) recallDecisions() {
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
	h.keepDecisions(nil)
}

// keepDecisions writes what has changed in the log to the hall's space.
func (h *Hall) keepDecisions(then func(error)) {
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

// operatorNamed reports an operator, other than a player, who was named so.
func (h *Hall) operatorNamed(name string, but id.ID) bool {
	who := h.cfg.Decisions.Holder(name)
	return !who.IsZero() && who != but
}
