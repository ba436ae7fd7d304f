package host

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/decision"
	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
)

// formerRoles reads what a world's disk says of roles from before they were signed
// decisions, or from the world that it was imported from.
type formerRoles struct {
	world *worldfs.World
	now   func() machine.Time
	log   *slog.Logger
}

// legacy is what worlds had of roles before decisions were signed.
type legacy struct {
	names     map[string]id.ID // of all players, folded
	operators []*decision.Statement
	others    []*decision.Statement // bans and the whitelist
	unbound   []string              // on the whitelist, but nobody's yet
	time      int64                 // offset of the time of day, in ticks
}

// migrate signs, once, what the world's disk says of operators, bans, the whitelist
// and the time of day from before these were signed decisions. Where this is not the
// founder's machine that says nothing any more.
func (r *formerRoles) migrate(log *decision.Log, sign func(*decision.Statement)) error {
	m := &r.world.Meta
	if m.Signed && m.SignedTime {
		return nil
	}
	old, err := r.legacy()
	if err != nil {
		return err
	}
	if m.Signed { // nothing but the time of day is left to sign
		old = &legacy{time: old.time}
		if decided, err := r.timeDecided(); err != nil || decided {
			old.time = 0 // an operator has set the time since
		}
	}
	list := append(old.operators, old.others...)
	if old.time != 0 {
		list = append(list, &decision.Statement{Topic: decision.Time, On: true})
	}
	if sign == nil {
		if len(list) > 0 {
			r.log.Warn("This world's list of players names operators or bans that nobody has signed. They count for nothing until the founder's node, or an operator, decides them anew.",
				"operators", names(old.operators), "others", len(old.others))
		}
		return nil // the founder's machine may be the next to host this folder
	}
	w := machine.DiskWrite{Space: decision.Space}
	first := log.Next(log.Root(), time.Unix(0, int64(r.now())))
	for i, s := range list {
		s.World, s.Seq = log.World(), first+uint64(i)
		if s.Topic == decision.Time {
			s.Text = strconv.FormatInt((r.tickAt(s.Issued())+old.time)%world.DayLength, 10)
		}
		sign(s)
		w.Put = append(w.Put, machine.KV{Key: []byte(s.Key()), Value: s.Append(nil)})
	}
	if len(list) > 0 {
		if err := r.world.Store.Apply(w); err != nil {
			return fmt.Errorf("the operators of %s: %w", m.Name, err)
		}
		r.log.Info("This machine has signed who the operators of the world are, its bans, its whitelist and the time of day.",
			"operators", names(old.operators), "others", len(old.others))
	}
	if len(old.unbound) > 0 {
		r.log.Warn("The whitelist names players who have never been here. Anybody could take those names: add them anew by the player ids that the page shows them.", "names", strings.Join(old.unbound, ", "))
	}
	m.Signed, m.SignedTime, m.Former, m.FormerOperators = true, true, "", false
	return r.world.Save()
}

// timeDecided reports whether the disk has a signed time of day.
func (r *formerRoles) timeDecided() (bool, error) {
	kvs, err := r.world.Store.Read(machine.DiskRead{Space: decision.Space})
	return slices.ContainsFunc(kvs, func(kv machine.KV) bool {
		s, err := decision.Decode(kv.Value)
		return err == nil && s.Topic == decision.Time
	}), err
}

func names(list []*decision.Statement) string {
	var out []string
	for _, s := range list {
		out = append(out, s.Name)
	}
	return strings.Join(out, ", ")
}

// legacy reads what the disk has of roles: decisions for the world that this one
// was imported from, by the same founder, or what was never signed.
func (r *formerRoles) legacy() (*legacy, error) {
	out := &legacy{names: map[string]id.ID{}}
	if err := r.former(out); err != nil {
		return nil, err
	}
	kvs, err := r.world.Store.Read(machine.DiskRead{Space: "hall"})
	if err != nil {
		return nil, err
	}
	for _, part := range []string{"p", "b", "l", "w"} { // players first: the others name them
		for _, kv := range kvs {
			kind, rest, _ := strings.Cut(string(kv.Key), "/")
			if kind == part {
				out.read(kind, rest, kv.Value)
			}
		}
	}
	return out, nil
}

// read takes one entry of the lobby's space; what cannot be read has never counted.
func (l *legacy) read(kind, key string, value []byte) {
	var v struct {
		Name, Reason        string
		Operator, Whitelist bool
		Player              id.ID
		Until, TimeOffset   int64
	}
	switch kind {
	case "l":
		var name string
		if json.Unmarshal(value, &name) != nil {
			return
		}
		if who := l.names[wire.FoldName(name)]; who.IsZero() {
			l.unbound = append(l.unbound, name)
		} else {
			l.others = append(l.others, &decision.Statement{Topic: decision.Listed, On: true, Subject: who, Name: name})
		}
		return
	default:
		if json.Unmarshal(value, &v) != nil {
			return
		}
	}
	switch kind {
	case "p":
		who, err := id.Parse(key)
		if err != nil {
			return
		}
		l.names[wire.FoldName(v.Name)] = who
		if v.Operator {
			l.operators = append(l.operators, &decision.Statement{Topic: decision.Operator, On: true, Subject: who, Name: v.Name})
		}
	case "b":
		reason := strings.ToValidUTF8(v.Reason[:min(len(v.Reason), decision.MaxText)], "")
		l.others = append(l.others, &decision.Statement{Topic: decision.Ban, On: true, Subject: v.Player, Name: v.Name, Text: reason, Until: max(0, v.Until)})
	case "w":
		l.time = v.TimeOffset
		if v.Whitelist {
			l.others = append(l.others, &decision.Statement{Topic: decision.Whitelist, On: true})
		}
	}
}

// former takes what was in force in the world that this one was imported from.
func (r *formerRoles) former(out *legacy) error {
	m := &r.world.Meta
	if m.Former == "" {
		return nil
	}
	record, err := genesis.DecodeText(m.Former)
	if err != nil {
		return fmt.Errorf("the world that %s was imported from: %w", m.Name, err)
	}
	kvs, err := r.world.Store.Read(machine.DiskRead{Space: decision.Space})
	if err != nil {
		return err
	}
	var list []*decision.Statement
	for _, kv := range kvs {
		if s, err := decision.Decode(kv.Value); err == nil {
			list = append(list, s)
		}
	}
	log := formerLog(record, list, time.Unix(0, int64(r.now())))
	if m.FormerOperators {
		for _, who := range log.Operators() {
			out.operators = append(out.operators, &decision.Statement{Topic: decision.Operator, On: true, Subject: who, Name: log.NameOf(who)})
		}
	}
	for _, t := range []decision.Topic{decision.Ban, decision.Listed, decision.Whitelist} {
		log.Each(t, func(s *decision.Statement) {
			if s.On {
				out.others = append(out.others, &decision.Statement{Topic: t, On: true, Subject: s.Subject, Name: s.Name, Text: s.Text, Until: s.Until})
			}
		})
	}
	out.time = log.TimeOffset(world.DayLength, r.tickAt)
	return nil
}

// tickAt is the world's tick at a time.
func (r *formerRoles) tickAt(t machine.Time) int64 { return lobby.TickAt(t, r.world.Meta.EpochTime()) }

// formerLog is what statements mean in the world that a record is of.
func formerLog(r *genesis.Record, list []*decision.Statement, now time.Time) *decision.Log {
	log := decision.New(r.World(), r.Founder)
	_, _ = log.Merge(list, now) // what does not count there is left behind
	return log
}
