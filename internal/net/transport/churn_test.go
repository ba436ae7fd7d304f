package transport

import (
	"fmt"
	"sync"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// TestChurn lets many sessions come, speak, be closed by either side and come
// again: the machine sees each begin and end once, and in that order, and
// nothing from a session that is gone.
func TestChurn(t *testing.T) {
	here := map[machine.Peer]bool{}
	f := &fake{}
	ups, ends := 0, 0
	f.link = func(p machine.Peer, ev machine.LinkEvent) {
		if here[p] == (ev == machine.LinkUp) {
			t.Errorf("event %d for a session that is there: %v", ev, here[p])
		}
		if here[p] = ev == machine.LinkUp; here[p] {
			ups++
		} else {
			ends++
		}
	}
	f.message = func(p machine.Peer, m machine.Message) {
		if !here[p] {
			t.Error("a message from a session that is gone")
		}
		f.env.Send(p, m)
		if m.(int)%7 == 6 {
			f.env.Close(p)
			here[p] = false
			ends++
		}
	}
	l := start(t, f, Config{Queue: 16})
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() { churn(t, l, id.Of(fmt.Append(nil, i)), i) })
	}
	wg.Wait()
	l.Call(t.Context(), func() {
		if ups != 20*50 || ends != ups || len(l.links) != 0 {
			t.Errorf("%d sessions came, %d ended, %d are left", ups, ends, len(l.links))
		}
	})
}

func churn(t *testing.T, l *Loop, who id.ID, n int) {
	for round := range 50 {
		k, err := l.Dial(who)
		if err != nil {
			t.Error(err)
			return
		}
		var buf []machine.Message
		for i := range 5 {
			if k.Send(n+round+i) != nil {
				break
			}
			<-k.Ready()
			if buf, err = k.Take(buf); err != nil {
				break
			}
		}
		k.Close()
	}
}
