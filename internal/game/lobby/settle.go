package lobby

import (
	"cmp"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// A settlement follows an operator's rollback of one player, so that nothing is there twice.
// The player owes what is in the world again and what it has taken out of containers. The
// lobby asks for it where the player is at home, then where the player has put some; of what
// came together beyond the blocks, regions put back into containers what was taken out of
// them. What others have by now is not looked for. If the lobby ends meanwhile, what was
// taken so far is gone.
type settlement struct {
	lobby  *Lobby
	call   *call
	of     *player
	signed []byte
	blocks map[world.Block]uint32 // owed for blocks that are in the world again
	found  map[world.Block]uint32 // of what is owed
	parts  []settled

	carried, lay, back int
	waits              map[world.RegionPos][]world.Owed // what was asked of regions that have not answered
}

// settled is a region's part: what was taken out of its containers, and what lies there.
type settled struct {
	at          world.RegionPos
	looted, put []world.Owed
}

// owes is how much a player owes after a rollback.
func (w *undone) owes() (blocks, looted int) {
	for _, n := range w.owed {
		blocks += int(n)
	}
	for _, part := range w.parts {
		looted += countOf(part.looted)
	}
	return blocks, looted
}

func countOf(list []world.Owed) (n int) {
	for _, o := range list {
		n += int(o.Count)
	}
	return n
}

// settle begins a settlement, or says why there is none.
func (w *undone) settle() {
	p := w.call.players[w.of]
	blocks, looted := w.owes()
	switch sum := blocks + looted; {
	case sum == 0 || p == nil || w.only:
	case !w.call.from.role.May(decision.MayOperate):
		w.call.reply("Up to %s of these %s has dug and may carry; an operator's /rollback takes them back.", plural(sum, "block"), p.rec.Name)
	case !p.here && w.call.earns():
		w.call.reply("%s is away: up to %s of these that it has dug stay with it.", p.rec.Name, plural(sum, "block"))
	default:
		s := &settlement{lobby: w.call.Lobby, call: w.call, of: p, signed: w.signed, blocks: w.owed, found: map[world.Block]uint32{}, parts: w.parts}
		slices.SortFunc(s.parts, func(a, b settled) int { return cmp.Or(cmp.Compare(a.at.X, b.at.X), cmp.Compare(a.at.Z, b.at.Z)) })
		s.askHome()
	}
}

// missing is what is owed and not found yet.
func (s *settlement) missing() (out []world.Owed) {
	left := map[world.Block]uint32{}
	for b, n := range s.blocks {
		left[b] += n
	}
	for _, part := range s.parts {
		for _, o := range part.looted {
			left[o.Block] += o.Count
		}
	}
	for _, b := range sortedKeys(left) {
		out = world.AddOwed(out, b, int(left[b])-int(s.found[b]))
	}
	return out
}

// find counts what was found of what was asked for, and no more.
func (s *settlement) find(asked, got []world.Owed) (n int) {
	for _, o := range got {
		for _, a := range asked {
			if a.Block == o.Block {
				part := min(a.Count, o.Count)
				s.found[o.Block] += part
				n += int(part)
			}
		}
	}
	return n
}

// askHome asks where the player is at home for what it carries.
func (s *settlement) askHome() {
	h, p, asked := s.lobby, s.of, s.missing()
	at := p.region
	if !p.here {
		at = p.home(h.cfg)
	}
	h.whereabouts.send(&playerRequest{
		player: p, at: at,
		ask: func(at world.RegionPos, tag uint64) machine.Message {
			return &Order{Region: at, Tag: tag, Player: p.id, Signed: s.signed, Owed: asked}
		},
		took: func(got []world.Owed) {
			s.carried = s.find(asked, got)
			s.askChests()
		},
	})
}

// askChests asks regions for what the player has put somewhere.
func (s *settlement) askChests() {
	missing := s.missing()
	s.ask(func(part *settled) *Undo {
		take := shared(part.put, missing)
		if len(take) == 0 {
			return nil
		}
		return &Undo{Take: take}
	}, func(asked, got []world.Owed) { s.lay += s.find(asked, got) }, s.giveBack)
}

// giveBack lets regions put back into containers what was found of it.
func (s *settlement) giveBack() {
	var spare []world.Owed
	for _, b := range sortedKeys(s.found) {
		spare = world.AddOwed(spare, b, int(s.found[b])-int(s.blocks[b]))
	}
	s.ask(func(part *settled) *Undo {
		give := shared(part.looted, spare)
		if len(give) == 0 {
			return nil
		}
		return &Undo{Give: give}
	}, func(_, got []world.Owed) { s.back += countOf(got) }, s.report)
}

func (s *settlement) report() {
	owed := countOf(s.missing()) + s.carried + s.lay
	s.call.reply("%s had %d of up to %s that it has dug or taken there; %d more lay in chests or on the ground; %d went back into chests.", s.of.rec.Name, s.carried, plural(owed, "item"), s.lay, s.back)
}

// shared takes as much out of a list as there is in another, and less of that.
func shared(want, from []world.Owed) (out []world.Owed) {
	for _, o := range want {
		for i := range from {
			if n := min(o.Count, from[i].Count); from[i].Block == o.Block && n > 0 {
				out = append(out, world.Owed{Block: o.Block, Count: n})
				from[i].Count -= n
			}
		}
	}
	return out
}

// ask sends each region its part of a round, hears the answers, and goes on when all have
// come or the time is over.
func (s *settlement) ask(what func(*settled) *Undo, hear func(asked, got []world.Owed), next func()) {
	s.waits = map[world.RegionPos][]world.Owed{}
	var list []*Undo
	for i := range s.parts {
		if m := what(&s.parts[i]); m != nil {
			m.Region, m.Signed = s.parts[i].at, s.signed
			s.waits[m.Region] = slices.Concat(m.Take, m.Give)
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		next()
		return
	}
	h := s.lobby
	tag := h.tag()
	for _, m := range list {
		m.Tag = tag
		h.toRegion(m)
	}
	h.undos.settles[tag] = func(m *Undone) {
		if m == nil {
			clear(s.waits)
			s.call.fail("A region did not answer in %v: what it was asked for may be gone.", undoTimeout)
		} else if asked, ok := s.waits[m.Region]; ok {
			delete(s.waits, m.Region)
			if m.OK {
				hear(asked, m.Owed)
			}
		}
		if len(s.waits) == 0 {
			delete(h.undos.settles, tag)
			next()
		}
	}
	h.env.SetTimer(h.env.Now().Add(undoTimeout), machine.Timer{Kind: timerUndo, Arg: tag})
}
