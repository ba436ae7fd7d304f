package transport

import (
	"fmt"
	"maps"
	"reflect"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// direction of a message.
type direction uint8

const (
	in direction = iota
	out
)

// tally counts what passes the network; any goroutine may.
type tally struct {
	kinds   sync.Map         // reflect.Type of a message → *[2]kindCount, by direction
	batches [2]atomic.Uint64 // sent: with messages, and without any

	mu       sync.Mutex
	failures map[string]uint64
	ups      [2]uint64 // links that others and we have opened
}

type kindCount struct{ messages, bytes atomic.Uint64 }

// count counts a message with its bytes, without what carries it.
func (t *tally) count(m machine.Message, d direction, size int) {
	key := reflect.TypeOf(m)
	v, ok := t.kinds.Load(key)
	if !ok {
		v, _ = t.kinds.LoadOrStore(key, new([2]kindCount))
	}
	c := &v.(*[2]kindCount)[d]
	c.messages.Add(1)
	c.bytes.Add(uint64(size))
}

// fail counts something that went wrong.
func (t *tally) fail(reason string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.failures == nil {
		t.failures = map[string]uint64{}
	}
	t.failures[reason]++
}

// up counts a link.
func (t *tally) up(d direction) {
	t.mu.Lock()
	t.ups[d]++
	t.mu.Unlock()
}

// Kind counts the messages of one type.
type Kind struct {
	Name string // as Go writes it: "*kademlia.Request"
	MessagesIn, BytesIn,
	MessagesOut, BytesOut uint64
}

func (t *tally) read() (kinds []Kind, failures map[string]uint64, ups [2]uint64) {
	t.kinds.Range(func(key, v any) bool {
		c := v.(*[2]kindCount)
		kinds = append(kinds, Kind{
			Name:       fmt.Sprint(key),
			MessagesIn: c[in].messages.Load(), BytesIn: c[in].bytes.Load(),
			MessagesOut: c[out].messages.Load(), BytesOut: c[out].bytes.Load(),
		})
		return true
	})
	sort.Slice(kinds, func(i, j int) bool { return kinds[i].Name < kinds[j].Name })
	t.mu.Lock()
	defer t.mu.Unlock()
	return kinds, maps.Clone(t.failures), t.ups
}
