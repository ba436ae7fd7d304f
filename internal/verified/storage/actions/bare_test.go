package actions

import (
	"iter"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/messages"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/part"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/placement"
	"github.com/voxelpopuli/voxelpopuli/internal/verified/storage/state"
)

// bare is the components of a node that knows nobody.
type bare struct {
	*Actions
	part  part.Part
	cfg   part.Settings
	area  placement.Area
	zones placement.Electorate
	known placement.Acquaintances

	reported map[int][]*overlay.Contact // of other zones
}

func newBare(p part.Part, cfg part.Settings, s Surroundings) *bare {
	b := &bare{part: p, cfg: cfg, reported: map[int][]*overlay.Contact{}}
	c := &b.part
	c.Cfg = &b.cfg
	b.area, b.zones = placement.Area{Part: c}, placement.AllPresent(c)
	b.known = placement.Acquaintances{Part: c, Area: &b.area, Reported: func(zone int) iter.Seq[*overlay.Contact] { return slices.Values(b.reported[zone]) }}
	s.Area, s.Zones, s.Known = &b.area, &b.zones, &b.known
	if s.Hooks == nil {
		s.Hooks = honest{}
	}
	b.Actions = New(c, s)
	return b
}

// inTheMiddle is a node that stands in the middle of the last zone.
func inTheMiddle(space overlay.Space, hardened bool) part.Part {
	last := space.SubArea(space.Zones() - 1)
	self := &overlay.Contact{ID: id.ID{255}, Pos: geom.Point{X: last.Min.X + space.SubSide()/2, Y: last.Min.Y + space.SubSide()/2}}
	return part.Part{
		Space: space, Self: self, Zone: space.Zones() - 1, Places: state.NewMapping(space, state.World{Side: 900, Cell: 100}), Hardened: hardened,
	}
}

// honest are the hooks of an honest node that nobody measures.
type honest struct{}

func (honest) Keeps(*state.Action) bool { return true }
func (honest) AnswerActions(_ *overlay.Contact, _ *messages.RetrieveActions, m *messages.ActionsResult) *messages.ActionsResult {
	return m
}
func (honest) Deposits(*state.Batch) bool     { return true }
func (honest) BatchSigned(*state.Batch)       {}
func (honest) ActionsRetrieved(int64, *Query) {}

// frozen is an environment in which time stands still.
type frozen struct {
	machine.Env
	now machine.Time
}

func (s frozen) Now() machine.Time { return s.now }
