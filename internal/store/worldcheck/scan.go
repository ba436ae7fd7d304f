package worldcheck

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/group"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
)

// harm is what is wrong with one part of the world.
type harm struct {
	records int
	causes  []string
	players map[id.ID]bool
	unread  bool // records of it may be missing
	replica bool // what is damaged is, or may be, the replica's own space
}

// scan decodes records as they come, and notes what is wrong.
type scan struct {
	report  Report
	parts   map[shards.Shard]*harm
	other   harm // of what belongs to no part
	seen    map[shards.Shard]bool
	groups  map[shards.Shard]bool // that this node has a replica of
	members map[shards.Shard]int  // of the part's group, itself included
	bad     map[string]bool       // records that cannot be decoded: space 0x00 key
	gaps    []disk.Gap
	lobby   *lobby.Examiner

	space  string
	part   shards.Shard
	record func(key, value []byte) (id.ID, error) // decodes one of the space; nil: is only read
}

func newScan(world string) *scan {
	return &scan{
		report: Report{World: world, Whole: true, Damage: []Damage{}}, parts: map[shards.Shard]*harm{},
		seen: map[shards.Shard]bool{}, groups: map[shards.Shard]bool{}, members: map[shards.Shard]int{}, bad: map[string]bool{}, lobby: lobby.Examine(),
	}
}

// enter begins with a space.
func (s *scan) enter(space string) {
	s.space, s.record = space, nil
	part, replica, ok := shards.Stored(space)
	if !ok {
		return
	}
	s.part, s.seen[part] = part, true
	switch {
	case replica:
		s.report.Shared = true
		s.groups[part] = true
		s.record = s.ofGroup
	case part.Lobby:
		s.record = func(k, v []byte) (id.ID, error) { return id.ID{}, s.lobby.Record(k, v) }
	default:
		s.report.Regions++
		s.record = region.Examine(part.Region).Record
	}
}

func (s *scan) ofGroup(key, value []byte) (id.ID, error) {
	if string(key) == "m" {
		if k, err := group.ReadSavedState([]kv{{Key: key, Value: value}}); err == nil {
			s.members[s.part] = len(k.Members)
		}
	}
	return id.ID{}, group.ExamineRecord(key, value)
}

// one takes a record.
func (s *scan) one(space string, key, value []byte) error {
	if space != s.space {
		s.enter(space)
	}
	s.report.Records++
	s.report.Bytes += int64(len(key) + len(value))
	if s.record == nil {
		return nil
	}
	player, err := s.decode(bytes.Clone(key), bytes.Clone(value))
	if err != nil {
		s.bad[space+"\x00"+string(key)] = true
		h := s.harm(s.part, strings.HasPrefix(space, group.OwnSpace("")))
		h.records++
		h.cause(err.Error())
		if player != (id.ID{}) {
			h.players[player] = true
		}
	}
	return nil
}

// decode decodes a record of the space. A decoder that panics has found damage.
func (s *scan) decode(key, value []byte) (player id.ID, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", disk.ErrDamaged, p)
		}
	}()
	return s.record(key, value)
}

// gap takes a stretch that cannot be read. What lies at its ends may have lost
// records.
func (s *scan) gap(g disk.Gap) {
	s.gaps = append(s.gaps, g)
	for _, space := range []string{g.After.Space, g.Before.Space} {
		if part, replica, ok := shards.Stored(space); ok {
			h := s.harm(part, replica)
			h.unread = true
			h.cause("some of its records cannot be read: " + g.Err.Error())
		}
	}
	s.other.unread = true
	s.other.cause(fmt.Sprintf("what lies between %s and %s cannot be read: %v", end(g.After, "the beginning"), end(g.Before, "the end"), g.Err))
}

func end(p disk.Place, none string) string {
	if p.Space == "" {
		return none
	}
	return spaceText(p.Space)
}

// spaceText names a space for a person.
func spaceText(space string) string {
	part, replica, ok := shards.Stored(space)
	switch {
	case !ok:
		return "the records of " + space
	case replica:
		return "the group of " + partText(part)
	}
	return partText(part)
}

func partText(p shards.Shard) string {
	if p.Lobby {
		return "the list of players"
	}
	return fmt.Sprintf("region %d,%d", p.Region.X, p.Region.Z)
}

func (s *scan) harm(p shards.Shard, replica bool) *harm {
	h := s.parts[p]
	if h == nil {
		h = &harm{players: map[id.ID]bool{}}
		s.parts[p] = h
	}
	h.replica = h.replica || replica
	return h
}

func (h *harm) cause(text string) {
	if len(h.causes) < maxCauses && !slices.Contains(h.causes, text) {
		h.causes = append(h.causes, text)
	}
}

// covers reports whether a space may lie, or have lain, within a stretch that
// cannot be read.
func (s *scan) covers(space string) bool {
	return slices.ContainsFunc(s.gaps, func(g disk.Gap) bool {
		return g.After.Space <= space && (g.Before.Space == "" || space <= g.Before.Space)
	})
}

// finish completes the report: the regions that players were last in are known
// even if nothing of them can be read.
func (s *scan) finish(begun time.Time) Report {
	players := s.lobby.Players()
	for _, p := range players {
		home := shards.Shard{Region: p.Home}
		if p.Entered && s.covers(region.Space(p.Home)) {
			s.harm(home, false).unread = true
		}
	}
	r := &s.report
	for _, p := range slices.SortedFunc(maps.Keys(s.parts), compareParts) {
		h := s.parts[p]
		d := Damage{What: partText(p), Records: h.records, Causes: h.causes}
		for who, known := range players {
			if !p.Lobby && known.Entered && known.Home == p.Region {
				h.players[who] = true
			}
		}
		for who := range h.players {
			d.Players = append(d.Players, cmp.Or(players[who].Name, "player "+who.Short()))
		}
		slices.Sort(d.Players)
		r.Damage = append(r.Damage, d)
	}
	if s.other.unread {
		r.Damage = append(r.Damage, Damage{What: "the database", Causes: s.other.causes})
	}
	r.Took = time.Since(begun)
	r.Seconds = r.Took.Seconds()
	return *r
}

func compareParts(a, b shards.Shard) int {
	if a.Lobby != b.Lobby {
		return map[bool]int{true: -1, false: 1}[a.Lobby]
	}
	return cmp.Or(cmp.Compare(a.Region.X, b.Region.X), cmp.Compare(a.Region.Z, b.Region.Z))
}
