package storage

import (
	"fmt"
	"slices"
	"strings"
)

// Protocol says which of the mechanisms that go beyond the thesis a network
// uses. All of its nodes use the same. The zero value is the thesis' protocol.
type Protocol struct {
	// Objects lets zones vote for each object instead of for whole results: an
	// answer counts for the places that its sender sees, and one wrong object
	// spoils nothing else.
	Objects bool
	// Majority accepts only what more than half of all zones say, but for those
	// without nodes (zones.go). Where there is no such majority a node keeps its
	// own state, and what it has none of stays unknown; the result with most votes
	// does not count.
	Majority bool
	// Digests lets answers carry digests of whole cells instead of objects. What
	// is agreed on is fetched once, from somebody who has said that he holds it,
	// and compared with what was agreed on; so are static objects, which are only
	// named (dormantnames.go). Nodes keep all cells that their circle touches as wholes.
	Digests bool
	// Ring lets a node that has computed what was agreed on do without fetching
	// it: what is left is the ring around its own part. It needs Digests.
	Ring bool
	// Deltas lets who fetches name what he has, what he guesses included: only
	// the rest is sent, and of what has changed the difference. It needs Digests.
	Deltas bool
	// Receipts lets players store what they have done in an interval as one
	// batch, and gather its storers' signed receipts. A batch with receipts of
	// more than half of the zones is certified: one honest copy is enough.
	Receipts bool
	// Storers lets several nodes in each zone store a player's batches, at places
	// far from each other; batches are sent whole where they may be missing. It
	// needs Receipts.
	Storers bool
	// Owners counts the answers about a cell one by one, those of the nodes in each
	// zone that stand nearest to it: a version needs more than half of them and a
	// voice in more than half of the zones. It needs Digests and Majority.
	Owners bool
	// Pins lets a node ask those directly for its update area who have answered
	// the last time, and whom they name: nobody on the way can answer instead or
	// drop the question. It needs Digests.
	Pins bool
	// Quorum asks for a player's actions as many storers as a majority takes
	// before it asks all of them. It needs Receipts.
	Quorum bool
	// Terse leaves out of answers what who asks says that it has: a neighbourhood
	// that is as it was, digests that it expects, storers' certificates, and what
	// is as it was at t_0. It needs Digests, Deltas and Pins for most of that.
	Terse bool
	// Farewell lets a node that leaves hand what it stores to the neighbours whose
	// it is then: where nodes of several zones leave at once, no majority could
	// tell them. It needs Objects: claims of some make whole answers differ.
	Farewell bool
}

// Protocols that have a name.
var (
	ProtocolThesis   = Protocol{}
	ProtocolHardened = Protocol{Objects: true, Majority: true, Digests: true, Ring: true, Deltas: true, Receipts: true, Storers: true, Owners: true, Pins: true, Quorum: true, Terse: true, Farewell: true}
)

// switches are the mechanisms by name, in the order in which they are shown.
var switches = []struct {
	name string
	of   func(*Protocol) *bool
}{
	{"objects", func(p *Protocol) *bool { return &p.Objects }},
	{"majority", func(p *Protocol) *bool { return &p.Majority }},
	{"digests", func(p *Protocol) *bool { return &p.Digests }},
	{"ring", func(p *Protocol) *bool { return &p.Ring }},
	{"deltas", func(p *Protocol) *bool { return &p.Deltas }},
	{"receipts", func(p *Protocol) *bool { return &p.Receipts }},
	{"storers", func(p *Protocol) *bool { return &p.Storers }},
	{"owners", func(p *Protocol) *bool { return &p.Owners }},
	{"pins", func(p *Protocol) *bool { return &p.Pins }},
	{"quorum", func(p *Protocol) *bool { return &p.Quorum }},
	{"terse", func(p *Protocol) *bool { return &p.Terse }},
	{"farewell", func(p *Protocol) *bool { return &p.Farewell }},
}

// Switches returns the names of the mechanisms.
func Switches() (names []string) {
	for _, s := range switches {
		names = append(names, s.name)
	}
	return names
}

// ParseProtocol reads a protocol: "thesis" or "hardened", followed by switches
// that are added ("thesis+objects") or taken away ("hardened-majority").
func ParseProtocol(text string) (Protocol, error) {
	end := strings.IndexAny(text, "+-")
	if end < 0 {
		end = len(text)
	}
	var p Protocol
	switch text[:end] {
	case "thesis":
	case "hardened":
		p = ProtocolHardened
	default:
		return p, fmt.Errorf("protocol %q: begins with neither thesis nor hardened", text)
	}
	for rest := text[end:]; rest != ""; {
		on := rest[0] == '+'
		rest = rest[1:]
		end := strings.IndexAny(rest, "+-")
		if end < 0 {
			end = len(rest)
		}
		if !p.set(rest[:end], on) {
			return p, fmt.Errorf("protocol %q: no switch %q; there are %s", text, rest[:end], strings.Join(Switches(), ", "))
		}
		rest = rest[end:]
	}
	return p, nil
}

func (p *Protocol) set(name string, on bool) bool {
	for _, s := range switches {
		if s.name == name {
			*s.of(p) = on
			return true
		}
	}
	return false
}

// String is what ParseProtocol reads, the shorter of the two ways to say it.
func (p Protocol) String() string {
	thesis, hardened := "thesis", "hardened"
	for _, s := range switches {
		if *s.of(&p) {
			thesis += "+" + s.name
		} else {
			hardened += "-" + s.name
		}
	}
	if len(hardened) < len(thesis) {
		return hardened
	}
	return thesis
}

// Without returns the protocol without a switch, With the one with it.
func (p Protocol) Without(name string) Protocol { p.set(name, false); return p }

// With returns the protocol with a switch.
func (p Protocol) With(name string) Protocol { p.set(name, true); return p }

// Has reports whether a switch is on.
func (p Protocol) Has(name string) bool {
	return slices.ContainsFunc(switches, func(s struct {
		name string
		of   func(*Protocol) *bool
	}) bool {
		return s.name == name && *s.of(&p)
	})
}
