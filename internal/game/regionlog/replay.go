package regionlog

import (
	"errors"
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/inputlog"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// errRule is wrapped by what no honest host does.
var errRule = errors.New("against the rules")

// Replayer runs what a leader says that it has run, and compares.
type Replayer struct {
	part   part
	area   *Area       // nil: it is the lobby's register
	from   *Checkpoint // the last one that was right
	start  *State      // its state
	list   [][]byte    // entries since
	bytes  int
	head   [32]byte
	number uint64
	broken error // the rule that an entry has broken
}

// NewReplayer begins with the state of a checkpoint whose signature was verified. The
// state must be that of the checkpoint.
func NewReplayer(c *Checkpoint, state []byte) (*Replayer, error) {
	if c.Version != Version {
		return nil, fmt.Errorf("%w: version %d, this is %d", ErrVersion, c.Version, Version)
	}
	p, err := loadPart(c, state)
	if err != nil {
		return nil, err
	}
	return beginReplay(c, p, true)
}

// beginReplay begins with a part, which must be that of the checkpoint. Without keep its state is
// not kept for a proof.
func beginReplay(c *Checkpoint, p part, keep bool) (*Replayer, error) {
	s := p.state(keep)
	if s.Hashes != c.Hashes || p.place() != (place{c.Lobby, c.Region, c.Tick}) {
		return nil, fmt.Errorf("%w: a state that is not that of its checkpoint", ErrFormat)
	}
	a, _ := p.(*Area)
	return &Replayer{part: p, area: a, from: c, start: s, head: c.Head, number: c.Number}, nil
}

// Area is the area as the events until now have made it: to look at. Nil: it is the lobby
// that is replayed.
func (r *Replayer) Area() *world.Area {
	if r.area == nil {
		return nil
	}
	return r.area.Area
}

// Register is the lobby's register as the events until now have made it: to look at. Nil: it
// is a region that is replayed.
func (r *Replayer) Register() *Register {
	g, _ := r.part.(*Register)
	return g
}

// Heeds is that of Area.
func (r *Replayer) Heeds(of *inputlog.Session, s *inputlog.Segment, act uint32) bool {
	return r.area.Heeds(of, s, act)
}

// RanBelow is that of Area.
func (r *Replayer) RanBelow(of *inputlog.Session, act uint32) bool { return r.area.RanBelow(of, act) }

// Came is that of Area.
func (r *Replayer) Came(player id.ID) uint64 { return r.area.Came(player) }

// Obeys reports whether the area, or the register, has these rules.
func (r *Replayer) Obeys(rules world.AreaConfig, signed bool) bool {
	if g := r.Register(); g != nil {
		return g.signed == signed
	}
	return r.area.rules == rules && r.area.signed == signed
}

// Last is the last checkpoint that was right.
func (r *Replayer) Last() *Checkpoint { return r.from }

// Number is that of the last entry.
func (r *Replayer) Number() uint64 { return r.number }

// Entry runs the next entry. With a checkpoint, whose signature was verified, it compares
// the states; they differ if there is a proof. After an error the log cannot be followed
// any further, and nothing is proven.
func (r *Replayer) Entry(entry []byte, c *Checkpoint) (*Proof, error) {
	r.bytes += len(entry)
	if len(entry) > MaxEntry || r.bytes > MaxWindow || len(r.list) >= MaxEntries {
		return nil, fmt.Errorf("%w: too much without a checkpoint", ErrFormat)
	}
	r.list = append(r.list, entry)
	r.head = next(r.head, entry)
	r.number++
	if r.broken == nil {
		if err := r.part.apply(entry); errors.Is(err, errRule) {
			r.broken = err
		} else if err != nil {
			return nil, err
		}
	}
	if c == nil {
		return nil, nil
	}
	if c.Head != r.head || c.Number != r.number || !c.follows(r.from) {
		return nil, ErrChain
	}
	s := r.part.state(true)
	if r.broken != nil || s.Hashes != c.Hashes {
		return &Proof{State: r.start.Append(nil), From: r.from, Entries: r.list, To: c}, nil
	}
	r.from, r.start, r.list, r.bytes = c, s, nil, 0
	return nil, nil
}

// apply runs the events of an entry.
func (a *Area) apply(entry []byte) error {
	r := newReader(entry)
	for r.Len() > 0 {
		if err := a.applyOne(r.Byte(), r); err != nil {
			return err
		}
		if r.Bad() {
			return ErrFormat
		}
	}
	return nil
}

func (a *Area) applyOne(kind byte, r *reader) error {
	switch kind {
	case evTick:
		tick := r.Uint(maxU62)
		offset := r.Int(maxU62)
		cmds := r.commands(a.Area)
		if r.Bad() {
			return ErrFormat
		}
		if tick <= a.Now() {
			return fmt.Errorf("%w: tick %d after tick %d", errRule, tick, a.Now())
		}
		a.SetTimeOffset(offset)
		if err := a.mayRun(cmds); err != nil {
			return err
		}
		a.asked(a.Area.Tick(tick, cmds))
	case evAct:
		cmds := r.commands(a.Area)
		if r.Bad() {
			return ErrFormat
		}
		if err := a.mayRun(cmds); err != nil {
			return err
		}
		a.asked(a.Area.Act(cmds))
	case evNewPlayer:
		p, err := readPlayer(r.Bytes(maxBlob))
		if err != nil {
			return err
		}
		putPlayer(a.Area, p)
		a.arrived(p.ID)
	case evPlayer:
		return a.applyChanged(r.Bytes(maxBlob))
	case evNoPlayer:
		a.RemovePlayer(r.id())
	case evSigned:
		return a.applySigned(r)
	case evSignedRemote:
		return a.applySignedRemote(r)
	case evNoAsk:
		m := r.remote()
		if m == nil {
			return ErrFormat
		}
		a.border.settle(m)
	case evLands:
		return a.applyLands(r)
	case evAmend:
		return a.applyAmend(r)
	case evRestock:
		return a.applyRestock(r)
	case evMerge:
		list := r.changes()
		if r.Bad() {
			return ErrFormat
		}
		a.Merge(list)
	case evSpawn:
		return a.applySetting(r, decision.SetSpawn, a.MoveSpawn)
	case evFire:
		return a.applySetting(r, decision.SetFire, a.AllowFire)
	default:
		return a.applyThing(kind, r)
	}
	return nil
}

// applyThing runs an event that is not of a player.
func (a *Area) applyThing(kind byte, r *reader) error {
	switch kind {
	case evMob:
		m, err := world.DecodeMob(r.Bytes(maxBlob))
		if err != nil {
			return ErrFormat
		}
		a.AddMob(m)
	case evNoMob:
		a.RemoveMob(r.Uint(1<<64 - 1))
	case evItem:
		it, err := world.DecodeItem(r.Bytes(maxBlob))
		if err != nil {
			return ErrFormat
		}
		a.AddItem(it)
	case evNoItem:
		a.RemoveItem(r.Uint(1<<64 - 1))
	case evRingColumn:
		c := r.column()
		if c == nil {
			return ErrFormat
		}
		a.PutOutside(c)
	case evRingBlock:
		p, b := r.pos(), r.block()
		if !r.Bad() {
			a.SetOutside(p, b)
		}
	case evRingClear:
		a.ClearOutside()
	default:
		return ErrFormat
	}
	return nil
}

// mayRun reports which command must not be run. A signed act is run once, and an answer of a
// neighbour taken once.
func (a *Area) mayRun(cmds []world.Command) error {
	for i := range cmds {
		c := &cmds[i]
		if c.Kind == world.CmdOrder {
			if err := a.mayOrder(c); err != nil {
				return err
			}
		}
		if err := a.mayCross(c); err != nil {
			return err
		}
		if !a.signed || c.Kind != world.CmdAct {
			continue
		}
		if !a.hasSigned(c) {
			return fmt.Errorf("%w: act %d at %v was done for player %s, who has not signed it", errRule, c.Seq, c.Act.At, c.Player)
		}
		a.done(c.Player, c.Seq)
	}
	return nil
}

// applySigned takes what a player has signed, after verifying that.
func (a *Area) applySigned(r *reader) error {
	var of *inputlog.Session
	if at := r.Uint(maxU32); at == 0 {
		of = &inputlog.Session{World: a.world, Key: [32]byte(r.Take(32)), Nonce: [32]byte(r.Take(32))}
	} else if of = a.sessionOf(int(at) - 1); of == nil {
		return ErrFormat
	}
	seq, proof := uint32(r.Uint(maxU32)), r.Bytes(inputlog.MaxSize)
	if r.Bad() {
		return ErrFormat
	}
	player := id.Of(of.Key[:])
	seg, err := inputlog.Decode(proof)
	if err != nil || seg.Act(seq) == nil || !seg.Verify(of) {
		return fmt.Errorf("%w: act %d of player %s bears no valid signature", errRule, seq, player)
	}
	if a.Player(player) != nil {
		act := *seg.Act(seq)
		act.After = 0
		a.sign(player, of, act)
	}
	return nil
}
