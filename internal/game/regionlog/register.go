package regionlog

import (
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Register is who has which name in a world: the part of the lobby that others replay
// (decision 234). A name belongs to the player that claims it first, by its signature. A
// name that was hardly used is free again after a day, and the number of such names is
// bounded: a flood of new keys takes no names away.
type Register struct {
	world  id.ID
	signed bool  // players sign the names that they claim
	time   int64 // Unix seconds
	of     [world.Columns]map[id.ID]*holder
	names  map[string]id.ID // by folded name
	looks  map[string]int   // how many names look so
	hashes [world.Columns][32]byte
	stale  [world.Columns]bool // the hash is of before
	rec    recorder
	lost   func(player id.ID, name string)
}

// holder is a player who has, or had, a name.
type holder struct {
	name         string
	owns         bool // the name, in the register
	seen, played int64
	state        uint64
	since        int64 // when the player came, while it is here
	before       before
}

// before is what a player had until it made a claim that is not on the disk yet.
type before struct {
	known bool
	name  string
	seen  int64
}

// What a holder does.
const (
	holderAway = iota
	holderClaims
	holderHere
)

const (
	// PlayedEnough is how long a player must have been here, in seconds, until the name is
	// the player's for good.
	PlayedEnough = 5 * 60
	// UnusedFor is how long a name stays reserved for a player who was here for less.
	UnusedFor = 24 * 3600
	// MaxUnused bounds such names; beyond that the oldest ends first.
	MaxUnused = 256
)

// NewRegister returns an empty register; signed says that a claim of a name counts by the
// player's signature only.
func NewRegister(world id.ID, signed bool) *Register {
	g := &Register{world: world, signed: signed, names: map[string]id.ID{}, looks: map[string]int{}}
	for i := range g.of {
		g.of[i] = map[id.ID]*holder{}
		g.stale[i] = true
	}
	return g
}

func bucketOf(player id.ID) int { return int(player[0]) % world.Columns }

func (g *Register) holder(player id.ID) *holder { return g.of[bucketOf(player)][player] }

// changed is called before a holder changes.
func (g *Register) changed(player id.ID) { g.stale[bucketOf(player)] = true }

// index gives a player the name that it has, if nobody else has it.
func (g *Register) index(player id.ID, h *holder) {
	fold := wire.FoldName(h.name)
	if _, taken := g.names[fold]; taken || h.name == "" {
		return
	}
	h.owns, g.names[fold] = true, player
	g.looks[wire.Skeleton(h.name)]++
}

func (g *Register) unindex(player id.ID, h *holder) {
	if !h.owns {
		return
	}
	if h.owns = false; g.lost != nil {
		g.lost(player, h.name)
	}
	delete(g.names, wire.FoldName(h.name))
	look := wire.Skeleton(h.name)
	if g.looks[look]--; g.looks[look] == 0 {
		delete(g.looks, look)
	}
}

// Put puts a player into the register that is on the disk with a name. Who follows begins
// anew.
func (g *Register) Put(player id.ID, name string, seen, played int64) {
	g.rec.stop()
	g.changed(player)
	if old := g.holder(player); old != nil {
		g.unindex(player, old)
	}
	h := &holder{name: name, seen: seen, played: played}
	g.of[bucketOf(player)][player] = h
	g.index(player, h)
}

// Owner is the player that has a name, or one that differs in case, width or form.
func (g *Register) Owner(name string) (id.ID, bool) {
	who, ok := g.names[wire.FoldName(name)]
	return who, ok
}

// OnLost has a name told that a player has no more: for another one, or for none.
func (g *Register) OnLost(tell func(player id.ID, name string)) { g.lost = tell }

// Time is when the last event was, in Unix seconds.
func (g *Register) Time() int64 { return g.time }

// Len is how many names somebody has.
func (g *Register) Len() int { return len(g.names) }

// Looks is how many names look like one, but a player's own.
func (g *Register) Looks(name string, but id.ID) int {
	look := wire.Skeleton(name)
	n := g.looks[look]
	if h := g.holder(but); h != nil && h.owns && wire.Skeleton(h.name) == look {
		n--
	}
	return n
}

// MayClaim says why a player may not have a name that is written well.
func (g *Register) MayClaim(player id.ID, name string) error {
	owner, owned := g.Owner(name)
	switch {
	case owned && owner == player:
		return nil
	case owned:
		return fmt.Errorf("it is player %s's", owner)
	case g.Looks(name, player) > 0:
		return fmt.Errorf("it looks like another player's")
	}
	return wire.CheckNewName(name)
}

// Claim gives a player, who comes, the name that it has typed and signed; false: it may not
// have it, and nothing has changed. A player who is here is to be taken out before.
func (g *Register) Claim(now int64, player id.ID, typed string, pass *identity.Pass) bool {
	if g.mayClaim(player, typed, pass) != nil {
		return false
	}
	g.Give(now, player, typed, pass)
	return true
}

// Give is what Claim does when the player may have the name.
func (g *Register) Give(now int64, player id.ID, typed string, pass *identity.Pass) {
	g.event(now, evClaim)
	g.rec.raw(player[:])
	g.rec.put([]byte(typed))
	if g.signed {
		g.rec.raw(pass.Key[:])
		g.rec.raw(pass.Nonce[:])
		g.rec.raw(pass.Audience[:])
		g.rec.raw(pass.Sig[:])
	}
	g.claim(player, typed)
}

func (g *Register) mayClaim(player id.ID, typed string, pass *identity.Pass) error {
	name, err := wire.CleanName(typed)
	if err != nil {
		return fmt.Errorf("%w: the name %q was given to player %s, which is none", errRule, typed, player)
	}
	if g.signed && (pass == nil || id.Of(pass.Key[:]) != player || !pass.Signs(g.world, typed)) {
		return fmt.Errorf("%w: the name %q was given to player %s, who has not signed it", errRule, name, player)
	}
	if err := g.MayClaim(player, name); err != nil {
		return fmt.Errorf("%w: the name %q was given to player %s, although %w", errRule, name, player, err)
	}
	if h := g.holder(player); h != nil && h.state != holderAway {
		return fmt.Errorf("%w: player %s came while it was here", errRule, player)
	}
	return nil
}

func (g *Register) claim(player id.ID, typed string) {
	g.changed(player)
	name, _ := wire.CleanName(typed) // mayClaim has looked
	h := g.holder(player)
	if h == nil {
		h = &holder{}
		g.of[bucketOf(player)][player] = h
	} else {
		h.before = before{true, h.name, h.seen}
	}
	g.unindex(player, h)
	h.name, h.state, h.seen = name, holderClaims, g.time
	g.index(player, h)
}

// Unclaim takes back a claim that could not be written, and says which name the player has
// now.
func (g *Register) Unclaim(now int64, player id.ID) (name string) {
	h := g.holder(player)
	if h == nil || h.state != holderClaims {
		return ""
	}
	g.event(now, evUnclaim)
	g.rec.raw(player[:])
	g.unclaim(player, h)
	return h.name
}

func (g *Register) unclaim(player id.ID, h *holder) {
	g.changed(player)
	g.unindex(player, h)
	if !h.before.known {
		delete(g.of[bucketOf(player)], player)
		return
	}
	h.name, h.seen, h.state, h.before = h.before.name, h.before.seen, holderAway, before{}
	if g.index(player, h); !h.owns {
		h.name = "" // somebody else has it meanwhile
	}
}

// Admit lets a player in whose claim is on the disk.
func (g *Register) Admit(now int64, player id.ID) {
	if h := g.holder(player); h != nil && h.state == holderClaims {
		g.event(now, evAdmit)
		g.rec.raw(player[:])
		g.admit(player, h)
	}
}

func (g *Register) admit(player id.ID, h *holder) {
	g.changed(player)
	h.state, h.since, h.before = holderHere, g.time, before{}
}

// Gone is when a player is not here any more.
func (g *Register) Gone(now int64, player id.ID) {
	if h := g.holder(player); h != nil && h.state != holderAway {
		g.event(now, evGone)
		g.rec.raw(player[:])
		g.gone(player, h)
	}
}

func (g *Register) gone(player id.ID, h *holder) {
	g.changed(player)
	if h.state == holderHere && h.played < PlayedEnough {
		h.played += max(0, g.time-h.since)
		h.seen = g.time
	}
	h.state, h.since, h.before = holderAway, 0, before{}
}

// Free takes a name from a player who was hardly here, and forgets the player unless it is
// kept; false: the player has used it, or it is too early.
func (g *Register) Free(now int64, player id.ID, keep bool) bool {
	h := g.holder(player)
	g.event(now, 0)
	if h == nil || g.mayFree(player, h) != nil {
		return false
	}
	g.Take(now, player, keep)
	return true
}

// Take is what Free does when the name may be taken.
func (g *Register) Take(now int64, player id.ID, keep bool) {
	h := g.holder(player)
	if h == nil {
		return
	}
	g.event(now, evFree)
	g.rec.raw(player[:])
	if keep {
		g.rec.uint(1)
	} else {
		g.rec.uint(0)
	}
	g.free(player, h, keep)
}

func (g *Register) free(player id.ID, h *holder, keep bool) {
	g.changed(player)
	g.unindex(player, h)
	if h.name = ""; !keep {
		delete(g.of[bucketOf(player)], player)
	}
}

// unused reports a player who was hardly here and is away. Records of older versions do
// not say when: those players keep their names.
func (h *holder) unused() bool {
	return h.state == holderAway && h.seen != 0 && h.played < PlayedEnough && h.name != ""
}

// mayFree reports a name that must not be taken from its player.
func (g *Register) mayFree(player id.ID, h *holder) error {
	if h.unused() && g.time-h.seen >= UnusedFor {
		return nil
	}
	n := 0
	for i := range g.of {
		for _, o := range g.of[i] { // the order does not matter
			if o.unused() {
				n++
			}
		}
	}
	if h.unused() && n >= MaxUnused {
		return nil
	}
	return fmt.Errorf("%w: the name %q was taken from player %s, who has used it", errRule, h.name, player)
}

// Present are the players who are here, with their names, in order.
func (g *Register) Present() (out []Named) {
	for i := range g.of {
		for player, h := range g.of[i] {
			if h.state == holderHere {
				out = append(out, Named{player, h.name})
			}
		}
	}
	slices.SortFunc(out, func(a, b Named) int { return slices.Compare(a.Player[:], b.Player[:]) })
	return out
}

// Named is a player and its name.
type Named struct {
	Player id.ID
	Name   string
}
