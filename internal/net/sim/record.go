package sim

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// Hopper is a message that counts its hops.
type Hopper interface{ HopCount() int }

// Traffic is what was received, by type (thesis 6.3.3). It is kept only when
// asked for (Sim.Watch).
type Traffic struct {
	byType map[reflect.Type]*Row
	// Control is handshakes, closings and pings.
	Control Row
	// Sent is bytes on the wire by each node, by its number.
	Sent []int64
	// Up and Down are how long messages have waited for the channels of each
	// node, by its number (thesis 6.4.3).
	Up, Down []Wait
	// Carried returns what a message carries, by whose type it is told apart; nil:
	// messages are told apart by their own.
	Carried func(machine.Message) any
}

// Wait is what messages have waited for a channel that was busy.
type Wait struct {
	Messages int64
	Sum, Max time.Duration
}

// waited notes a message that finds a channel busy until a time.
func (s *Sim) waited(list func(*Traffic) *[]Wait, n *Node, free machine.Time) {
	if s.traffic == nil {
		return
	}
	all := list(s.traffic)
	for len(*all) <= int(n.index) {
		*all = append(*all, Wait{})
	}
	w, d := &(*all)[n.index], max(0, free.Sub(s.now))
	w.Messages++
	w.Sum, w.Max = w.Sum+d, max(w.Max, d)
}

func upOf(t *Traffic) *[]Wait   { return &t.Up }
func downOf(t *Traffic) *[]Wait { return &t.Down }

// Row is the messages of one type.
type Row struct {
	Name     string
	Messages int64
	Payload  int64 // bytes
	Gross    int64 // with headers
	Hops     int64 // sum of those that know them
	Delay    time.Duration
}

// Watch begins to record what nodes receive; nil ends it.
func (s *Sim) Watch(t *Traffic) {
	if t != nil && t.byType == nil {
		t.byType = map[reflect.Type]*Row{}
	}
	s.traffic = t
}

// Rows returns the rows by name.
func (t *Traffic) Rows() []Row {
	var out []Row
	for _, r := range t.byType {
		out = append(out, *r)
	}
	slices.SortFunc(out, func(a, b Row) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// header is what a packet carries besides its payload.
func (s *Sim) header(p *packet) int {
	if p.kind == loose {
		return s.cfg.Internet.Segment
	}
	return s.cfg.Internet.Header
}

// record notes a message; m is nil for the network's own.
func (s *Sim) record(from, _ *Node, p *packet, m machine.Message) {
	t := s.traffic
	if t == nil {
		return
	}
	r := &t.Control
	if m != nil {
		var what any = m
		if t.Carried != nil {
			what = t.Carried(m)
		}
		kind := reflect.TypeOf(what)
		if r = t.byType[kind]; r == nil {
			name := kind.String()
			r = &Row{Name: name[strings.LastIndexByte(name, '.')+1:]}
			t.byType[kind] = r
		}
		r.Payload += int64(p.size) - int64(s.header(p))
		if h, ok := m.(Hopper); ok {
			r.Hops += int64(h.HopCount())
		}
	}
	r.Messages++
	r.Gross += int64(p.size)
	r.Delay += s.now.Sub(p.sent)
	for len(t.Sent) <= int(from.index) {
		t.Sent = append(t.Sent, 0)
	}
	t.Sent[from.index] += int64(p.size)
}
