package hostilelab

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
)

// townsman is a player who goes on to make steps, as clients do.
type townsman struct {
	*client.Mirror
	t     *town
	who   client.Identity
	input atomic.Pointer[world.Input]
	mu    sync.Mutex
	lines []string
	said  []time.Time
}

// The lobby takes so many lines at once, and then one a second.
const linesAtOnce = 7

// joins brings a player in by a node.
func (w *town) joins(url, name string) *townsman {
	w.Helper()
	who, err := client.NewIdentity(name)
	if err != nil {
		w.Fatal(err)
	}
	return w.joinsAs(url, who)
}

func (w *town) joinsAs(url string, who client.Identity) *townsman {
	w.Helper()
	conn, welcome, err := client.Dial(w.ctx, url, who, "")
	if err != nil {
		w.Fatal(err)
	}
	p := &townsman{t: w, who: who}
	p.input.Store(&world.Input{})
	p.Mirror = client.NewMirror(conn, welcome, client.Options{Heard: func(m wire.Message) {
		if c, ok := m.(*wire.Chat); ok {
			p.mu.Lock()
			p.lines = append(p.lines, c.Text)
			p.mu.Unlock()
		}
	}})
	go p.Run()
	ctx, stop := context.WithCancel(w.ctx)
	w.Cleanup(func() { stop(); p.Close() })
	if err := p.View(wire.MinView, 0); err != nil {
		w.Fatal(err)
	}
	go func() {
		for tick := time.NewTicker(region.TickLength); ctx.Err() == nil; <-tick.C {
			if _, err := p.Step(*p.input.Load()); err != nil {
				return
			}
		}
	}()
	return p
}

func (w *town) until(what string, ok func() bool) {
	w.Helper()
	for !ok() {
		select {
		case <-w.ctx.Done():
			w.Fatalf("waited in vain for %s; Ann has read %q", what, w.ann.lines)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// sayAgain is after how long a person types a line again to which nobody has answered: the
// lobby moves when nodes join, and commands that are on their way then are lost. The
// session says so, with the line at the end.
const sayAgain = 15 * time.Second

// tells types a line, and returns the answer that has a text in it.
func (p *townsman) tells(line, want string) (answer string) {
	p.t.Helper()
	if n := len(p.said) - linesAtOnce; n >= 0 {
		time.Sleep(time.Until(p.said[n].Add((linesAtOnce + 1) * time.Second)))
	}
	p.said = append(p.said, time.Now())
	p.mu.Lock()
	before := len(p.lines)
	p.mu.Unlock()
	if err := p.Say(line); err != nil {
		p.t.Fatal(err)
	}
	said := time.Now()
	end := said.Add(nodelab.SettleTime)
	p.t.until(fmt.Sprintf("%q after %q", want, line), func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, l := range p.lines[before:] {
			if strings.Contains(l, want) {
				answer = l
			}
		}
		if time.Now().After(end) {
			p.t.Fatalf("%s: %q, want %q", line, p.lines[before:], want)
		}
		answered := slices.ContainsFunc(p.lines[before:], func(l string) bool { return !strings.HasSuffix(l, ": "+line) })
		if !answered && time.Since(said) > sayAgain {
			said = time.Now()
			p.said = append(p.said, said)
			if err := p.Say(line); err != nil {
				p.t.Fatal(err)
			}
		}
		return answer != ""
	})
	return answer
}

// does acts and returns what the answer says.
func (p *townsman) does(a wire.Act) wire.Code {
	p.t.Helper()
	answer, err := p.Act(a)
	if err != nil {
		p.t.Fatal(err)
	}
	select {
	case r := <-answer:
		return r.Code
	case <-p.t.ctx.Done():
		p.t.Fatalf("%s: no answer to %+v", p.who.Name, a)
	}
	return ""
}

// goes walks to a place.
func (p *townsman) goes(to world.Pos) {
	p.t.Helper()
	p.t.until(fmt.Sprintf("%s to come to %v", p.who.Name, to), func() bool {
		d := to.Centre().Sub(p.Body().Pos)
		if max(d.X.Abs(), d.Z.Abs()) < fixed.One/2 {
			p.input.Store(&world.Input{})
			return true
		}
		p.input.Store(&world.Input{Buttons: world.ButtonForward | world.ButtonSprint, Yaw: world.Angle(d.X, d.Z)})
		return false
	})
}

// slot is where a player has something, -1: nowhere.
func (p *townsman) slot(b world.Block) int {
	for i := range world.Slots {
		if s := p.Slot(i); s.Count > 0 && s.Block == uint16(b) {
			return i
		}
	}
	return -1
}

// carries counts what a player has of something.
func (p *townsman) carries(b world.Block) (n int) {
	for i := range world.Slots {
		if s := p.Slot(i); s.Block == uint16(b) {
			n += int(s.Count)
		}
	}
	return n
}
