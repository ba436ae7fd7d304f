package nodelab

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/socket"
)

// said is what all nodes of a network said to each other.
type said struct {
	packets, bytes [socket.Classes]uint64
	sent           []uint64                  // packets, by each node
	kinds          map[string]transport.Kind // by name
	parcels        [2]uint64                 // with messages, and without any
	links          int                       // ends
	spilled        uint64                    // times that a stream had to bring what batches did not
}

// listen reads what all nodes have said since they began.
func (n *network) listen(ctx context.Context) (s said, err error) {
	s.kinds = map[string]transport.Kind{}
	for i, h := range n.hosts {
		one, err := h.NetStats(ctx)
		if err != nil {
			return s, fmt.Errorf("node %d: %w", i, err)
		}
		s.sent = append(s.sent, 0)
		for c, out := range one.Socket.Out {
			s.sent[i] += out.Packets
			s.packets[c] += out.Packets
			s.bytes[c] += out.Bytes
		}
		for k, sent := range one.Batches {
			s.parcels[k] += sent
		}
		for _, k := range one.Kinds {
			all := s.kinds[k.Name]
			all.MessagesOut += k.MessagesOut
			all.BytesOut += k.BytesOut
			s.kinds[k.Name] = all
		}
		s.links += one.Links
		s.spilled += one.Failures["batch lost"]
	}
	return s, nil
}

// table shows what was said after before, by packets and by messages.
func (s *said) table(before *said, seconds float64) lab.Table {
	t := lab.Table{
		Name: "network-said", Title: fmt.Sprintf("What all nodes send in a second, over %d links; batches were lost %d times", s.links/2, s.spilled-before.spilled),
		Columns: []string{"what", "a second", "bytes each"},
	}
	row := func(what string, n, bytes uint64) {
		if rate := float64(n) / seconds; rate >= 1 {
			t.Row(what, rate, float64(bytes)/float64(n))
		}
	}
	for c := range socket.Classes {
		row("packets: "+c.String(), s.packets[c]-before.packets[c], s.bytes[c]-before.bytes[c])
	}
	for i, what := range []string{"batches with messages", "batches that only acknowledge"} {
		if rate := float64(s.parcels[i]-before.parcels[i]) / seconds; rate >= 1 {
			t.Row(what, rate, "")
		}
	}
	names := make([]string, 0, len(s.kinds))
	for name := range s.kinds {
		names = append(names, name)
	}
	count := func(name string) uint64 { return s.kinds[name].MessagesOut - before.kinds[name].MessagesOut }
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(count(b), count(a)), cmp.Compare(a, b)) })
	for _, name := range names {
		row(name, count(name), s.kinds[name].BytesOut-before.kinds[name].BytesOut)
	}
	return t
}
