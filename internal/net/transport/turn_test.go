package transport

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// TestOneAtATime: datagrams, messages of links and sessions, timers, calls and
// jobs all touch the machine, never two at once (the race detector looks, too).
func TestOneAtATime(t *testing.T) {
	a, b := startNode(t, 1), startNode(t, 2)
	const n = 300
	inside, datagrams, timers, others := 0, 0, 0, 0
	enter := func(what *int) {
		if inside++; inside != 1 {
			t.Error("two handlers at once")
		}
		*what++
		inside--
	}
	all := make(chan struct{})
	check := func() {
		if timers == n && others == 2*n && datagrams > 0 {
			close(all)
		}
	}
	b.do(func(env machine.Env) {
		b.link = nil
		b.message = func(_ machine.Peer, m machine.Message) {
			if _, ok := m.(note); ok {
				enter(&datagrams)
			} else {
				enter(&others)
			}
			check()
		}
		b.timer = func(tm machine.Timer) {
			enter(&timers)
			if tm.Arg < n {
				env.SetTimer(env.Now().Add(time.Millisecond), machine.Timer{Arg: tm.Arg + 1})
			}
			check()
		}
		env.SetTimer(env.Now(), machine.Timer{Arg: 1})
	})
	a.do(func(env machine.Env) { env.Open(b.peer) })
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		k, err := b.loop.Dial(id.Of([]byte("session")))
		if err != nil {
			t.Error(err)
			return
		}
		for range n {
			k.Send("x")
			time.Sleep(100 * time.Microsecond)
		}
	})
	for i := range n {
		a.do(func(env machine.Env) {
			env.Send(b.peer, i)
			env.Send(b.peer, note(fmt.Sprint(i)))
		})
	}
	select {
	case <-all:
	case <-time.After(patience):
		b.do(func(machine.Env) { t.Fatalf("%d datagrams, %d timers, %d others", datagrams, timers, others) })
	}
}

// TestDatagramSetsTimer: a timer that a datagram's handler sets while the loop
// sleeps is on time.
func TestDatagramSetsTimer(t *testing.T) {
	a, b := startNode(t, 1), startNode(t, 2)
	fired := make(chan struct{})
	b.do(func(env machine.Env) {
		env.SetTimer(env.Now().Add(time.Hour), machine.Timer{Arg: 1})
		b.message = func(machine.Peer, machine.Message) {
			env.SetTimer(env.Now().Add(time.Millisecond), machine.Timer{Arg: 2})
		}
		b.timer = func(tm machine.Timer) {
			if tm.Arg == 2 {
				close(fired)
			}
		}
	})
	a.do(func(env machine.Env) { env.Send(b.peer, note("x")) })
	select {
	case <-fired:
	case <-time.After(patience):
		t.Fatal("the timer did not fire")
	}
}

func TestPanicInDatagram(t *testing.T) {
	a, b := startNode(t, 1), startNode(t, 2)
	b.do(func(machine.Env) { b.message = func(machine.Peer, machine.Message) { panic("invariant") } })
	a.do(func(env machine.Env) { env.Send(b.peer, note("x")) })
	<-b.loop.Done()
	if err := b.loop.Err(); !errors.Is(err, ErrPanic) {
		t.Fatal(err)
	}
}

// TestVisitorsComeInTurn: who handles something in the loop's place does not
// overtake what was posted just before, when the loop has gone to sleep but not
// yet heard that it is to wake.
func TestVisitorsComeInTurn(t *testing.T) {
	f := &fake{}
	got := make(chan machine.Message, 2)
	f.message = func(_ machine.Peer, m machine.Message) { got <- m }
	l := start(t, f, Config{})
	k, err := l.Dial(id.Of([]byte("ada")))
	if err != nil {
		t.Fatal(err)
	}
	l.Call(t.Context(), func() {})
	for round := 0; ; round++ { // until the loop sleeps
		l.mu.Lock()
		if l.asleep && len(l.inbox) == 0 {
			break
		}
		l.mu.Unlock()
		time.Sleep(time.Millisecond)
		if round > 30000 {
			t.Fatal("the loop does not sleep")
		}
	}
	k.inflight.Add(2)
	l.inbox = append(l.inbox, event{kind: evMessage, link: k, body: "first"}) // and its wake is on its way
	l.mu.Unlock()
	l.here(event{kind: evMessage, link: k, body: "second"})
	for _, want := range []string{"first", "second"} {
		if m := <-got; m != want {
			t.Fatalf("%v came before %v", m, want)
		}
	}
}
