package lobby

import (
	"fmt"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/invitation"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
)

type enter struct {
	from machine.Peer
	*Enter
}

// onEnter admits or refuses a player. The name is reserved at once and the
// player admitted when the claim is on disk.
func (h *Lobby) onEnter(e enter) {
	if p := h.sessions[e.from]; p != nil {
		if p.here && p.id == e.Player && !e.Resume { // the answer was lost on its way
			h.welcome(p)
		}
		return
	}
	if !h.loaded {
		h.wait(e)
		return
	}
	if e.Console {
		h.openConsole(e)
		return
	}
	name, refusal := h.checkEnter(e)
	if refusal != nil {
		h.refuse(e.from, refusal)
		return
	}
	p := h.players[e.Player]
	fresh := p == nil
	if fresh {
		h.entity++
		p = &player{id: e.Player, rec: record{Entity: h.entity, Since: h.unix()}}
		h.players[p.id] = p
	}
	h.replace(p)
	before := p.rec
	h.names.expire(p)
	if !h.register.Claim(h.unix(), p.id, e.Name, e.Pass) { // checkEnter has looked
		if fresh {
			delete(h.players, p.id)
		}
		h.refuse(e.from, &Refused{Code: wire.Internal, Text: "Your name could not be taken."})
		return
	}
	p.rec.Name = name
	if s := shown(e.Enter); s != nil && (fresh || s.Uses != 0) {
		p.rec.Invitation = s.ID()
	}
	p.rec.Seen = h.unix()
	p.invited = !invitation.MayBuild(e.Invitation)
	p.visitor = h.rights(p).Visits(p.invited)
	p.session, p.typed, p.claiming, p.resumes = e.from, e.Name, true, e.Resume && !fresh
	h.sessions[e.from] = p
	if !fresh && p.rec == before {
		h.admit(p, e.from)
		return
	}
	h.writePlayer(p, func(err error) {
		if err != nil {
			h.unclaim(p, before, fresh, e.from, err)
			return
		}
		h.admit(p, e.from)
	})
}

// maxEntering bounds those who wait until the list of players is read.
const maxEntering = 4096

// wait keeps a session that comes before the list of players is read: what it has
// said last counts.
func (h *Lobby) wait(e enter) {
	i := slices.IndexFunc(h.entering, func(o enter) bool { return o.from == e.from })
	switch {
	case i >= 0:
		h.entering[i] = e
	case len(h.entering) < maxEntering:
		h.entering = append(h.entering, e)
	default:
		h.refuse(e.from, &Refused{Code: wire.Busy, Text: wire.Busy.Text(), Retry: 5})
	}
}

// checkEnter returns the name to use, or why the player may not enter.
func (h *Lobby) checkEnter(e enter) (string, *Refused) {
	if h.failed != nil {
		return "", refusal(wire.Internal, "This world's list of players cannot be read: "+h.failed.Error()+".")
	}
	name, err := wire.CleanName(e.Name)
	if err != nil {
		return "", refusal(wire.BadName, wire.BadName.Text())
	}
	if h.cfg.Passes && (e.Pass == nil || id.Of(e.Pass.Key[:]) != e.Player || !e.Pass.Signs(h.cfg.Decisions.World(), e.Name)) {
		return "", refusal(wire.BadProof, wire.BadProof.Text())
	}
	known := h.players[e.Player]
	operator := h.cfg.Decisions.IsOperator(e.Player)
	if b := h.cfg.Decisions.Banned(e.Player, name, h.time()); b != nil {
		return "", refusal(wire.Banned, BanText(b))
	}
	if h.whitelisted() && !e.Local && !operator && !h.cfg.Decisions.IsListed(e.Player) {
		return "", refusal(wire.NotWhitelisted, fmt.Sprintf("%s Your player id here is %s: an operator lets you in by /whitelist add %q %s.",
			wire.NotWhitelisted.Text(), e.Player, name, e.Player))
	}
	if refused := h.judgeInvitation(e.Enter); refused != nil {
		return "", refused
	}
	if e.Known && known == nil && !operator {
		return "", &Refused{Code: wire.Full, Text: "Too many new players have come from your address. Try again in some minutes.", Retry: 300}
	}
	if refused := h.names.check(e.Player, name); refused != nil {
		return "", refused
	}
	if len(h.here) >= h.cfg.MaxPlayers && !operator && (known == nil || !known.here) {
		r := refusal(wire.Full, fmt.Sprintf("The world is full: %d players.", len(h.here)))
		r.Retry = 10
		return "", r
	}
	return name, nil
}

// whitelisted reports whether only listed players may enter.
func (h *Lobby) whitelisted() bool { return h.cfg.Whitelist() || h.cfg.Decisions.Closed() }

func refusal(code wire.Code, text string) *Refused { return &Refused{Code: code, Text: text} }

func (h *Lobby) refuse(to machine.Peer, r *Refused) {
	h.env.Send(to, r)
	h.env.Close(to)
}

// BanText is what a banned player reads.
func BanText(b *decision.Statement) string {
	if b.Topic == decision.AddressBan {
		return sentence("Players from your address are banned from this world", b)
	}
	return sentence("You are banned from this world", b)
}

// sentence says until when a statement is in force, and why it was made.
func sentence(s string, b *decision.Statement) string {
	if b.Until != 0 {
		s += " until " + time.Unix(b.Until, 0).UTC().Format("2 January 2006 15:04") + " UTC"
	}
	if b.Text != "" {
		s += ": " + b.Text
	}
	return s + "."
}

// unclaim undoes an admission whose record did not reach the disk.
func (h *Lobby) unclaim(p *player, before record, fresh bool, from machine.Peer, err error) {
	if h.sessions[from] != p || p.session != from {
		return // a newer session decides
	}
	name := h.register.Unclaim(h.unix(), p.id)
	p.rec, p.claiming = before, false
	delete(h.sessions, from)
	if p.rec.Name = name; fresh {
		delete(h.players, p.id)
	}
	h.refuse(from, &Refused{Code: wire.Storage, Text: fmt.Sprintf("Your name could not be saved: %v.", err), Retry: 30})
}

// replace ends the session that a player was here through before.
func (h *Lobby) replace(p *player) {
	if !p.here && !p.claiming {
		return
	}
	old := p.session
	delete(h.sessions, old)
	h.refuse(old, refusal(wire.Elsewhere, wire.Elsewhere.Text()))
	h.removePresent(p)
}

// admit lets a player in whose claim is on disk.
func (h *Lobby) admit(p *player, from machine.Peer) {
	if h.sessions[from] != p || p.session != from {
		return // left or was replaced meanwhile
	}
	p.claiming, p.here, p.since = false, true, h.unix()
	h.register.Admit(h.unix(), p.id)
	p.region, p.role = p.home(h.cfg), h.rights(p).Role
	h.here = append(h.here, p)
	h.vouches.answerWaiting(p)
	if h.cfg.Restored != 0 {
		h.tell(p, wire.ChatSystem, "The list of players lost its hosts. It was restored to its state of %s.",
			wire.TimeText(int64(h.cfg.Restored)/int64(time.Second)))
	}
	if p.resumes {
		h.resume(p)
		return
	}
	h.welcome(p)
	h.tell(p, wire.ChatSystem, "Welcome to %s, %s. /help lists what you can type.", h.cfg.Name, p.rec.Name)
	if text := h.cfg.Decisions.Setting(decision.SetWelcome); text != "" {
		h.tell(p, wire.ChatSystem, "%s", text)
	}
	h.queueNews(p)
}

// welcome tells a session what it needs to know.
func (h *Lobby) welcome(p *player) {
	h.env.Send(p.session, &Admitted{
		Player: p.id, Name: p.rec.Name, Entity: p.rec.Entity, Operator: p.role >= decision.RoleOperator, Visitor: p.invited,
		New: p.rec.Epoch == 0, Mode: h.cfg.Mode, Home: p.region, TimeOffset: h.timeOffset,
	})
	h.sendCommands(p)
	h.env.Send(p.session, h.list())
}

// rejoinTime is how long a new host of the lobby waits for those who were here
// before it tells anybody who is here.
const rejoinTime = 2 * time.Second

// resume takes in a player who was here before this host of the lobby.
func (h *Lobby) resume(p *player) {
	p.told = true
	if !h.calling {
		h.calling = true
		h.env.SetTimer(h.env.Now().Add(rejoinTime), machine.Timer{Kind: timerRoster})
	}
}

// askToRejoin asks a session that this host of the lobby does not know to come again.
func (h *Lobby) askToRejoin(session machine.Peer) {
	if !slices.ContainsFunc(h.entering, func(e enter) bool { return e.from == session }) {
		h.env.Send(session, &NewHost{})
	}
}

// leave ends a session.
func (h *Lobby) leave(from machine.Peer) {
	p := h.sessions[from]
	if p == nil {
		h.forgetWaiting(from)
		return
	}
	delete(h.sessions, from)
	if p.session == from {
		h.removePresent(p)
	}
}

func (h *Lobby) forgetWaiting(from machine.Peer) {
	for i, e := range h.entering {
		if e.from == from {
			h.entering = append(h.entering[:i], h.entering[i+1:]...)
			return
		}
	}
}

func (h *Lobby) time() time.Time { return time.Unix(0, int64(h.env.Now())) }
