package codec

import (
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/game/clipboard"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/line"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Messages of internal/game/lobby.

const (
	maxPlayers  = 1 << 16
	maxCommands = 1 << 10
	maxArgs     = 64
	// maxAdmission bounds a player's admission: those of later versions may be
	// longer than invitation.AdmissionSize.
	maxAdmission = 512
)

var lobbyKinds = []*kind{
	message(64, func(f *form, m *lobby.Enter) {
		f.id(&m.Player)
		text(f, &m.Name, maxName)
		f.bools(&m.Local, &m.Resume, &m.Known, &m.Console)
		optional(f, &m.Pass, pass)
		f.bytes(&m.Invitation, maxAdmission)
	}),
	message(65, func(f *form, m *lobby.Say) { text(f, &m.Text, maxText); optional(f, &m.Signed, lineSignature) }),
	message(66, empty[lobby.Leave]),
	message(67, func(f *form, m *lobby.Admitted) {
		f.id(&m.Player)
		text(f, &m.Name, maxName)
		num(f, &m.Entity)
		f.bools(&m.Operator, &m.New, &m.Visitor)
		num(f, &m.Mode)
		f.region(&m.Home)
		signed(f, &m.TimeOffset)
	}),
	message(68, func(f *form, m *lobby.Refused) {
		text(f, &m.Code, maxCode)
		text(f, &m.Text, maxText)
		num(f, &m.Retry)
		f.bytes(&m.Order, decision.MaxSize)
	}),
	message(69, func(f *form, m *lobby.Players) { f.bool(&m.Full); list(f, &m.List, maxPlayers, 26, playerInfo) }),
	message(70, func(f *form, m *lobby.Chat) {
		num(f, &m.Kind)
		text(f, &m.From, maxName)
		text(f, &m.Text, maxText)
		text(f, &m.Line, maxText)
		optional(f, &m.Signed, lineSignature)
	}),
	message(71, func(f *form, m *lobby.Notice) { text(f, &m.Code, maxCode); text(f, &m.Text, maxText) }),
	message(72, func(f *form, m *lobby.TimeOffset) { signed(f, &m.Ticks) }),
	message(73, func(f *form, m *lobby.Commands) { list(f, &m.List, maxCommands, 3, command) }),
	message(74, func(f *form, m *lobby.Order) {
		f.region(&m.Region)
		num(f, &m.Tag)
		f.id(&m.Player)
		f.bytes(&m.Signed, decision.MaxSize)
		text(f, &m.Near, maxText)
		optional(f, &m.Line, lineSignature)
		list(f, &m.Owed, world.MaxOwed, 2, owed)
	}),
	message(75, func(f *form, m *lobby.Locate) { f.region(&m.Region); f.id(&m.Player); num(f, &m.Tag) }),
	message(76, func(f *form, m *lobby.SaveAll) { f.region(&m.Region); num(f, &m.Tag) }),
	message(78, func(f *form, m *lobby.Awake) { f.region(&m.Region) }),
	message(79, func(f *form, m *lobby.Asleep) { f.region(&m.Region) }),
	message(80, func(f *form, m *lobby.Arrived) { f.region(&m.Region); f.id(&m.Player); num(f, &m.Epoch) }),
	message(81, func(f *form, m *lobby.Departed) { f.region(&m.Region); f.id(&m.Player); num(f, &m.Epoch) }),
	message(82, func(f *form, m *lobby.Located) {
		f.region(&m.Region)
		f.id(&m.Player)
		num(f, &m.Tag)
		f.bools(&m.Found, &m.Stored)
		num(f, &m.Epoch)
		f.vec(&m.Position)
	}),
	message(83, func(f *form, m *lobby.Saved) { f.region(&m.Region); num(f, &m.Tag); text(f, &m.Err, maxText) }),
	message(84, func(f *form, m *lobby.Vouch) { f.region(&m.Region); f.peer(&m.Session); f.id(&m.Player) }),
	message(85, func(f *form, m *lobby.Vouched) {
		f.region(&m.Region)
		f.peer(&m.Session)
		f.id(&m.Player)
		f.bools(&m.OK, &m.New, &m.Visitor)
		num(f, &m.Entity)
		text(f, &m.Name, maxName)
		num(f, &m.Mode)
	}),
	message(86, empty[lobby.NewHost]),
	message(87, func(f *form, m *lobby.NotHere) {
		f.region(&m.Region)
		f.id(&m.Player)
		num(f, &m.Tag)
		f.region(&m.To)
	}),
	message(88, func(f *form, m *lobby.Claim) {
		f.region(&m.Region)
		f.region(&m.From)
		f.id(&m.Player)
		num(f, &m.Epoch)
	}),
	message(89, func(f *form, m *lobby.Claimed) {
		f.region(&m.Region)
		f.id(&m.Player)
		f.region(&m.From)
		num(f, &m.Epoch)
		f.bools(&m.OK, &m.Visitor)
	}),
	message(93, func(f *form, m *lobby.Died) { f.region(&m.Region); f.id(&m.Player); num(f, &m.Cause) }),
	message(77, func(f *form, m *lobby.Skin) { f.bytes(&m.Skin, wire.MaxSkin) }),
	message(92, func(f *form, m *lobby.AskSkin) { num(f, &m.Entity) }),
	message(95, func(f *form, m *lobby.SkinOf) { num(f, &m.Entity); f.bytes(&m.Skin, wire.MaxSkin) }),
	message(94, func(f *form, m *lobby.Sleeping) { f.region(&m.Region); f.ids(&m.Players) }),
	message(190, func(f *form, m *lobby.Undo) {
		f.region(&m.Region)
		num(f, &m.Tag)
		f.bytes(&m.Signed, decision.MaxSize)
		f.bytes(&m.Blocks, clipboard.MaxSize)
		list(f, &m.Take, world.MaxOwed, 2, owed)
		list(f, &m.Give, world.MaxOwed, 2, owed)
	}),
	message(191, func(f *form, m *lobby.Undone) {
		f.region(&m.Region)
		num(f, &m.Tag)
		f.bool(&m.OK)
		num(f, &m.Count)
		list(f, &m.Edits, region.MaxPastEdits, 28, pastEdit)
		list(f, &m.Owed, world.MaxOwed, 2, owed)
		list(f, &m.Looted, world.MaxOwed, 2, owed)
		list(f, &m.Put, world.MaxOwed, 2, owed)
		f.bytes(&m.Blocks, clipboard.MaxSize)
	}),
	message(197, func(f *form, m *lobby.Clip) {
		for i := range m.Size {
			num(f, &m.Size[i])
		}
		f.bytes(&m.Blocks, clipboard.MaxSize)
	}),
	message(90, func(f *form, m *lobby.Propose) { f.bytes(&m.Statement, decision.MaxSize) }),
	message(91, func(f *form, m *lobby.Signed) { f.bytes(&m.Statement, decision.MaxSize) }),
}

func lineSignature(f *form, s *line.Signature) {
	f.exact(s.Key[:])
	text(f, &s.Name, maxName)
	num(f, &s.Tick)
	f.exact(s.Sig[:])
}

func pass(f *form, p *identity.Pass) {
	f.exact(p.Key[:])
	f.exact(p.Nonce[:])
	f.exact(p.Audience[:])
	f.exact(p.Sig[:])
}

func playerInfo(f *form, p *lobby.PlayerInfo) {
	f.id(&p.Player)
	num(f, &p.Entity)
	text(f, &p.Name, maxName)
	f.bool(&p.Present)
	f.region(&p.Region)
	num(f, &p.Skin)
}

func command(f *form, c *wire.Command) {
	text(f, &c.Name, maxName)
	list(f, &c.Args, maxArgs, 1, func(f *form, s *string) { text(f, s, maxName) })
	text(f, &c.Help, maxText)
}
