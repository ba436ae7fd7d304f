package transport

import (
	"fmt"
	"sync"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// BenchmarkCrowd is a tick of a crowd: the machine sends two messages to each
// of 1500 sessions, each session takes them and sends one back. An operation is
// a whole round; 20 rounds a second are what a region does.
func BenchmarkCrowd(b *testing.B) {
	const sessions = 1500
	round := make(chan struct{}, 1)
	f := &fake{}
	var peers []machine.Peer
	answers := 0
	frame := &struct{ b []byte }{}
	send := func() {
		answers = 0
		for _, p := range peers {
			f.env.Send(p, frame)
			f.env.Send(p, frame)
		}
	}
	f.timer = func(machine.Timer) { send() }
	f.message = func(machine.Peer, machine.Message) {
		if answers++; answers == sessions {
			round <- struct{}{}
		}
	}
	f.link = func(p machine.Peer, ev machine.LinkEvent) {
		if ev == machine.LinkUp {
			peers = append(peers, p)
		}
	}
	l := Start(Config{Machine: f.build})
	var wg sync.WaitGroup
	for i := range sessions {
		k, err := l.Dial(id.Of(fmt.Append(nil, i)))
		if err != nil {
			b.Fatal(err)
		}
		wg.Go(func() { answer(k) })
	}
	l.Call(b.Context(), func() {})
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		l.Call(b.Context(), func() { f.env.SetTimer(f.env.Now(), machine.Timer{}) })
		<-round
	}
	b.StopTimer()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/sessions/3, "ns/message")
	l.Stop()
	wg.Wait()
}

// answer sends one message for all that it takes at a time.
func answer(k *Link) {
	var buf []machine.Message
	input := &struct{ b []byte }{}
	pending := 0
	for range k.Ready() {
		got, err := k.Take(buf)
		if err != nil {
			return
		}
		buf = got
		if pending += len(got); pending >= 2 {
			pending = 0
			k.Send(input)
		}
	}
}

// BenchmarkSend is one message from a session through the loop and back.
func BenchmarkSend(b *testing.B) {
	f := &fake{}
	f.message = func(p machine.Peer, m machine.Message) { f.env.Send(p, m) }
	l := Start(Config{Machine: f.build})
	defer l.Stop()
	k, _ := l.Dial(id.Of([]byte("ada")))
	var buf []machine.Message
	m := &struct{}{}
	b.ReportAllocs()
	for range b.N {
		k.Send(m)
		<-k.Ready()
		buf, _ = k.Take(buf)
	}
}
