package overlay_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	. "github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

// stage is one node, o, whose partners are played by the test: a transcript of
// what it does.
type stage struct {
	t      *testing.T
	now    machine.Time
	rand   rng.Rand
	n      *Node
	log    []string
	timers []alarm
	got    []*Unicast
	came   machine.Time // the last of them
	faults []Evidence
}

type alarm struct {
	at machine.Time
	t  machine.Timer
}

// The places of the partners around o, in thousands.
var spots = map[string]geom.Point{
	"o": {X: 100, Y: 100}, "e": {X: 140, Y: 101}, "n": {X: 101, Y: 60},
	"w": {X: 60, Y: 99}, "s": {X: 99, Y: 140}, "E": {X: 180, Y: 102}, "m": {X: 120, Y: 103},
}

func at(name string) *Contact {
	p := spots[name]
	return &Contact{ID: id.Of([]byte(name)), Pos: geom.Point{X: p.X * 1000, Y: p.Y * 1000}}
}

func nameOf(who id.ID) string {
	for name := range spots {
		if id.Of([]byte(name)) == who {
			return name
		}
	}
	return "?"
}

func newStage(t *testing.T) *stage {
	s := &stage{t: t, rand: rng.New(1)}
	s.n = New(Config{Self: at("o"), Space: SpaceFor(4), Events: s}, s)
	s.n.Start()
	return s
}

func (s *stage) note(format string, a ...any) { s.log = append(s.log, fmt.Sprintf(format, a...)) }

func (s *stage) Now() machine.Time { return s.now }
func (s *stage) Rand() *rng.Rand   { return &s.rand }
func (s *stage) SetTimer(at machine.Time, t machine.Timer) {
	s.timers = append(s.timers, alarm{at, t})
}
func (s *stage) Open(p machine.Peer)                  { s.note("open %s", nameOf(p.ID)) }
func (s *stage) Close(p machine.Peer)                 { s.note("close %s", nameOf(p.ID)) }
func (s *stage) Do(_ string, _ uint64, _ machine.Job) {}

func (s *stage) Send(to machine.Peer, m machine.Message) {
	switch m := m.(type) {
	case *NetworkView:
		var names []string
		for _, c := range m.Neighbours {
			names = append(names, nameOf(c.ID))
		}
		slices.Sort(names)
		s.note("view to %s: %s", nameOf(to.ID), strings.Join(names, ""))
	case *ConnectionInfo:
		s.note("wanted %v to %s", m.Wanted, nameOf(to.ID))
	case *RtRequest, *JoinRequest, *RtHint: // not what these tests look at
	default:
		s.note("%T to %s", m, nameOf(to.ID))
	}
}

func (s *stage) Joined()                                {}
func (s *stage) Neighbourhood()                         {}
func (s *stage) Received(m *Unicast, came machine.Time) { s.got, s.came = append(s.got, m), came }
func (s *stage) ReceivedArea(*Areacast)                 {}
func (s *stage) Report(e Evidence)                      { s.faults = append(s.faults, e) }

// forwardOrReceive lets time pass.
func (s *stage) pass(d time.Duration) {
	end := s.now.Add(d)
	for {
		best := -1
		for i, a := range s.timers {
			if a.at <= end && (best < 0 || a.at < s.timers[best].at) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		a := s.timers[best]
		s.timers = slices.Delete(s.timers, best, best+1)
		s.now = max(s.now, a.at)
		s.n.OnTimer(a.t)
	}
	s.now = end
}

func (s *stage) up(name string)     { s.n.OnLink(at(name).Peer(), machine.LinkUp) }
func (s *stage) closed(name string) { s.n.OnLink(at(name).Peer(), machine.LinkClosed) }
func (s *stage) lost(name string)   { s.n.OnLink(at(name).Peer(), machine.LinkFailed) }

// says lets a partner report its neighbours.
func (s *stage) says(name, neighbours string) {
	v := &NetworkView{Source: at(name), Stamp: s.now}
	for _, c := range neighbours {
		v.Neighbours = append(v.Neighbours, at(string(c)))
	}
	s.n.OnMessage(at(name).Peer(), v)
}

func (s *stage) hears(name string, m machine.Message) { s.n.OnMessage(at(name).Peer(), m) }

// did compares what o has done since the last time.
func (s *stage) did(want ...string) {
	s.t.Helper()
	slices.Sort(s.log)
	slices.Sort(want)
	if !slices.Equal(s.log, want) {
		s.t.Fatalf("o did\n  %s, want\n  %s", strings.Join(s.log, "\n  "), strings.Join(want, "\n  "))
	}
	s.log = nil
}

// with puts partners around o as its stable neighbours.
func (s *stage) with(names string) {
	for _, name := range names {
		s.up(string(name))
		s.says(string(name), "o"+strings.ReplaceAll(names, string(name), ""))
	}
	for _, name := range names {
		s.says(string(name), s.starOf(string(name), "o"+names))
	}
	s.log = nil
	if !s.n.Stable() {
		s.t.Fatal("o is not stable")
	}
}

// starOf is a partner's neighbourhood among some.
func (s *stage) starOf(name, among string) (out string) {
	var names []string
	var places []geom.Point
	for _, c := range among {
		if string(c) != name {
			names = append(names, string(c))
			places = append(places, at(string(c)).Pos)
		}
	}
	for _, i := range geom.Star(at(name).Pos, places, nil) {
		out += names[i]
	}
	return out
}
