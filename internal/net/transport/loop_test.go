package transport

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// fake is a machine whose handlers a test writes.
type fake struct {
	env     machine.Env
	start   func()
	message func(machine.Peer, machine.Message)
	timer   func(machine.Timer)
	link    func(machine.Peer, machine.LinkEvent)
	done    func(uint64, any, error)
}

func (f *fake) Start() {
	if f.start != nil {
		f.start()
	}
}
func (f *fake) OnMessage(p machine.Peer, m machine.Message) {
	if f.message != nil {
		f.message(p, m)
	}
}
func (f *fake) OnTimer(t machine.Timer) {
	if f.timer != nil {
		f.timer(t)
	}
}
func (f *fake) OnLink(p machine.Peer, ev machine.LinkEvent) {
	if f.link != nil {
		f.link(p, ev)
	}
}
func (f *fake) OnDone(tag uint64, result any, err error) {
	if f.done != nil {
		f.done(tag, result, err)
	}
}

func (f *fake) build(env machine.Env) machine.Machine { f.env = env; return f }

func start(t *testing.T, f *fake, cfg Config) *Loop {
	t.Helper()
	cfg.Machine, cfg.Log = f.build, slog.New(slog.DiscardHandler)
	l := Start(cfg)
	t.Cleanup(func() { l.Stop() })
	return l
}

// receive takes n messages from a link.
func receive(t *testing.T, k *Link, n int) []machine.Message {
	t.Helper()
	var all, buf []machine.Message
	for len(all) < n {
		<-k.Ready()
		got, err := k.Take(buf)
		if err != nil {
			t.Fatalf("after %d of %d messages: %v", len(all), n, err)
		}
		all = append(all, got...)
		buf = got
	}
	return all
}

func TestLinkCarriesBothWaysInOrder(t *testing.T) {
	f := &fake{}
	f.message = func(p machine.Peer, m machine.Message) { f.env.Send(p, m.(int)*2) }
	l := start(t, f, Config{})
	k, err := l.Dial(id.Of([]byte("ada")))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 500 {
		if err := k.Send(i); err != nil {
			t.Fatal(err)
		}
	}
	for i, m := range receive(t, k, 500) {
		if m != i*2 {
			t.Fatalf("message %d is %v, want %d", i, m, i*2)
		}
	}
}

func TestLinkLife(t *testing.T) {
	var log []string
	f := &fake{}
	f.link = func(p machine.Peer, ev machine.LinkEvent) { log = append(log, fmt.Sprint(ev)) }
	f.message = func(p machine.Peer, m machine.Message) { log = append(log, m.(string)) }
	l := start(t, f, Config{})
	who := id.Of([]byte("ada"))
	k, _ := l.Dial(who)
	if _, err := l.Dial(who); !errors.Is(err, ErrInUse) {
		t.Fatalf("second dial: %v", err)
	}
	k.Send("last words")
	k.Close()
	if err := k.Send("too late"); !errors.Is(err, ErrClosed) {
		t.Fatalf("send after close: %v", err)
	}
	again, err := l.Dial(who)
	if err != nil {
		t.Fatal(err)
	}
	l.Call(t.Context(), func() { f.env.Close(again.Peer()) })
	<-again.Ready()
	if _, err := again.Take(nil); !errors.Is(err, ErrClosed) {
		t.Fatalf("take after the machine closed: %v", err)
	}
	l.Stop()
	if got, want := fmt.Sprint(log), "[1 last words 2 1]"; got != want {
		t.Fatalf("the machine saw %s, want %s", got, want)
	}
	if _, err := l.Dial(who); !errors.Is(err, machine.ErrStopped) {
		t.Fatalf("dial after stop: %v", err)
	}
}

func TestSlowReaderFails(t *testing.T) {
	for _, c := range []struct {
		name  string
		count int
		every time.Duration
	}{
		{"full", 9, 0},
		{"half full for long", 6, 15 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fake{}
				var ended machine.LinkEvent
				f.link = func(_ machine.Peer, ev machine.LinkEvent) { ended = ev }
				l := start(t, f, Config{Queue: 8})
				k, _ := l.Dial(id.Of([]byte("ada")))
				for range c.count {
					l.Call(t.Context(), func() { f.env.Send(k.Peer(), "frame") })
				}
				time.Sleep(c.every)
				l.Call(t.Context(), func() {
					if n, limit := machine.Backlog(f.env, k.Peer()); c.every > 0 && (n != c.count || limit != 8) {
						t.Errorf("backlog is %d of %d, want %d of 8", n, limit, c.count)
					}
				})
				time.Sleep(c.every)
				l.Call(t.Context(), func() { f.env.Send(k.Peer(), "frame") })
				synctest.Wait()
				if ended != machine.LinkFailed {
					t.Fatalf("the machine saw event %d, want LinkFailed", ended)
				}
				got, err := k.Take(nil)
				if err != nil || len(got) == 0 {
					t.Fatalf("what arrived before is lost: %v", err)
				}
				if _, err := k.Take(got); !errors.Is(err, ErrFailed) {
					t.Fatalf("then: %v, want ErrFailed", err)
				}
				l.Stop()
			})
		})
	}
}

func TestTimersFireInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		var got []uint64
		f.start = func() {
			now := f.env.Now()
			for i, ms := range []int{30, 10, 20, 10} {
				f.env.SetTimer(now.Add(time.Duration(ms)*time.Millisecond), machine.Timer{Arg: uint64(i)})
			}
		}
		f.timer = func(tm machine.Timer) { got = append(got, tm.Arg) }
		l := start(t, f, Config{})
		time.Sleep(time.Second)
		l.Stop()
		if fmt.Sprint(got) != "[1 3 2 0]" {
			t.Fatalf("order %v", got)
		}
	})
}

// slowDisk finishes writes when the test says so.
type slowDisk struct {
	mu   sync.Mutex
	done []func(error)
}

func (d *slowDisk) Read(r machine.DiskRead) ([]machine.KV, error) {
	return []machine.KV{{Key: r.Prefix}}, nil
}

func (d *slowDisk) Write(_ machine.DiskWrite, done func(error)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done = append(d.done, done)
}

func (d *slowDisk) finish(err error) {
	d.mu.Lock()
	done := d.done[0]
	d.done = d.done[1:]
	d.mu.Unlock()
	done(err)
}

type double int

func (d double) Run() (any, error) {
	if d < 0 {
		panic("negative")
	}
	return int(d) * 2, nil
}

func TestJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		var log []string
		f.done = func(tag uint64, result any, err error) { log = append(log, fmt.Sprint(tag, " ", result, " ", err)) }
		disk := &slowDisk{}
		l := start(t, f, Config{Disk: disk})
		do := func(queue string, tag uint64, job machine.Job) {
			l.Call(t.Context(), func() { f.env.Do(queue, tag, job) })
			synctest.Wait()
		}
		do("a", 1, machine.DiskWrite{})
		do("a", 2, machine.DiskWrite{})
		do("a", 3, double(4))
		do("", 4, double(5))
		do("b", 5, machine.DiskRead{})
		do("", 6, "what?")
		do("", 7, double(-1))
		disk.finish(errors.New("broken"))
		synctest.Wait()
		l.Stop()
		want := []string{
			"4 10 <nil>", "5 [{[] []}] <nil>", "6 <nil> unknown kind of job: string",
			"7 <nil> transport.double panicked: negative",
			"1 <nil> broken", "2 <nil> an earlier write failed: broken", "3 8 <nil>",
		}
		if fmt.Sprint(log) != fmt.Sprint(want) {
			t.Fatalf("got  %v\nwant %v", log, want)
		}
	})
}

func TestPanicStopsTheNode(t *testing.T) {
	f := &fake{}
	f.message = func(machine.Peer, machine.Message) { panic("invariant") }
	l := start(t, f, Config{})
	k, _ := l.Dial(id.Of([]byte("ada")))
	k.Send("boo")
	<-l.Done()
	if !errors.Is(l.Err(), ErrPanic) {
		t.Fatalf("the loop says %v", l.Err())
	}
	<-k.Ready()
	if _, err := k.Take(nil); !errors.Is(err, ErrFailed) {
		t.Fatalf("the link says %v", err)
	}
	if err := l.Call(context.Background(), func() {}); !errors.Is(err, machine.ErrStopped) {
		t.Fatalf("call says %v", err)
	}
}

// TestCallGivenUp: a call whose context ends before the loop comes to it does not run
// later, when its caller reads already what it writes; one that runs is waited for.
func TestCallGivenUp(t *testing.T) {
	l := start(t, &fake{}, Config{})
	busy, free := make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error)
	go func() {
		first <- l.Call(ctx, func() { close(busy); <-free })
	}()
	<-busy
	cancel() // the first runs, the second has not begun
	ran := false
	if err := l.Call(ctx, func() { ran = true }); !errors.Is(err, context.Canceled) {
		t.Fatalf("the second call says %v", err)
	}
	close(free)
	if err := <-first; err != nil {
		t.Errorf("the first call, which ran, says %v", err)
	}
	if err := l.Call(t.Context(), func() {}); err != nil { // behind both
		t.Fatal(err)
	}
	if ran {
		t.Error("a call that was given up ran later")
	}
}

// TestCallThatPanics: the caller hears that the loop has ended.
func TestCallThatPanics(t *testing.T) {
	l := start(t, &fake{}, Config{})
	if err := l.Call(t.Context(), func() { panic("invariant") }); !errors.Is(err, machine.ErrStopped) {
		t.Errorf("call says %v", err)
	}
}
