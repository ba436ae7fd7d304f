package hostilelab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/hostile"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
)

var Load = lab.Experiment{
	Name:   "hostile-load",
	Shows:  "that a world stays playable while hostile clients do their worst",
	Source: "issue 23",
	Settings: []lab.Setting{
		{Name: "minutes", Default: "1", Unit: "min", Text: "how long"},
		{Name: "clients", Default: "4", Text: "hostile clients, each of which makes one attack after the other"},
	},
	Run: runHostileLoad,
}

// Limits of hostile-load.
const (
	hostileTick = 50  // ms: p99 of the ticks of the busiest region
	hostileRoom = 500 // MB that the process may need more than before
)

// hostileCode is the join code: everybody knows it, and some guess all the same.
const hostileCode = "everybody knows"

// hostileOrder is what the lab says to the hostile clients' process; each order is
// answered by how often each attack was made.
type hostileOrder struct {
	Addr    string `json:",omitempty"` // the first order: whom to attack,
	Seed    uint64 `json:",omitempty"`
	Clients int    `json:",omitempty"` // and by how many
}

// hostileMain is the process of the hostile clients.
func hostileMain(in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var all []*hostile.Client
	var attacking sync.WaitGroup
	for dec := json.NewDecoder(in); ; {
		var o hostileOrder
		if err := dec.Decode(&o); errors.Is(err, io.EOF) {
			cancel()
			attacking.Wait()
			return nil
		} else if err != nil {
			return err
		}
		for i := range o.Clients {
			c := &hostile.Client{Addr: o.Addr, Code: hostileCode, Seed: o.Seed + uint64(i)}
			all = append(all, c)
			attacking.Go(func() { c.Run(ctx, 3*i) })
		}
		done := map[string]int{}
		for _, c := range all {
			for name, n := range c.Done() {
				done[name] += n
			}
		}
		if err := json.NewEncoder(out).Encode(done); err != nil {
			return err
		}
	}
}

func runHostileLoad(t *lab.Trial) (err error) {
	minutes, clients := t.Float("minutes", 0.05), t.Int("clients", 1)
	if err := t.Settings(); err != nil {
		return err
	}
	s, err := nodelab.StartServerWith(t.Seed, func(c *host.Config) { c.JoinCode = hostileCode })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	editor, bystander, err := nodelab.HonestPair(t.Context, s.LocalURL(), s.LocalURL())
	if err != nil {
		return err
	}
	defer editor.Close()
	defer bystander.Close()
	ctx, stop := context.WithCancel(t.Context)
	defer stop()
	edits, watched := make(chan nodelab.Edit, 1<<14), make(chan error, 1)
	go editor.Play(ctx, edits)
	go func() { watched <- bystander.Watch(ctx) }()
	quiet, err := s.Watch(ctx, 2*time.Second)
	if err != nil {
		return err
	}
	p, err := lab.Start(ctx, childHostile, os.Stderr)
	if err != nil {
		return err
	}
	defer p.Close()
	done := map[string]int{}
	if err := p.Do(hostileOrder{Addr: s.Addr().String(), Seed: t.Seed, Clients: clients}, &done, nodelab.SettleTime); err != nil {
		return err
	}
	w, peak, err := s.Under(ctx, lab.Duration(minutes*60), watched, editor.Ended)
	if err != nil {
		return err
	}
	if err := p.Do(hostileOrder{}, &done, nodelab.SettleTime); err != nil {
		return err
	}
	stop()
	<-watched
	return reportHostileLoad(t, quiet, w, peak, done, gather(edits))
}

// edited is how edits went.
type edited struct {
	ms      []float64      // of those that were acknowledged
	refused map[string]int // the others, by why
}

// gather waits for the last answers.
func gather(edits <-chan nodelab.Edit) (out edited) {
	time.Sleep(time.Second)
	out.refused = map[string]int{}
	for range len(edits) {
		if e := <-edits; e.OK {
			out.ms = append(out.ms, nodelab.Milliseconds(e.Done.Sub(e.Sent)))
		} else {
			out.refused[string(e.Code)]++
		}
	}
	return out
}

func reportHostileLoad(t *lab.Trial, quiet, w nodelab.Window, peak float64, done map[string]int, e edited) error {
	table := lab.Table{Name: "hostile-load", Title: "What hostile clients did", Columns: []string{"attack", "times"}}
	for _, name := range slices.Sorted(maps.Keys(done)) {
		table.Row(name, done[name])
	}
	t.Table(table)
	t.Metric("tick_p99_ms", w.TickP99, "ms")
	t.Metric("tick_p99_before_ms", quiet.TickP99, "ms")
	t.Metric("missed", w.Missed, "")
	t.Metric("peak_mb", peak, "MB")
	t.Metric("before_mb", quiet.Resident, "MB")
	t.Metric("honest_edit_p99_ms", lab.Percentile(e.ms, 0.99), "ms")
	t.Metric("honest_edits", float64(len(e.ms)), "")
	t.Metric("cpu", w.CPU, "cores")
	t.Metric("regions", float64(w.Regions), "")
	t.Logf("edits that were refused: %v", e.refused)
	var broken []error
	if w.TickP99 > hostileTick {
		broken = append(broken, fmt.Errorf("p99 of the ticks is %.1f ms", w.TickP99))
	}
	if peak > quiet.Resident+hostileRoom {
		broken = append(broken, fmt.Errorf("memory went from %.0f to %.0f MB", quiet.Resident, peak))
	}
	if len(e.ms) == 0 || e.refused["unanswered"] > 0 {
		broken = append(broken, fmt.Errorf("%d edits were acknowledged, of the others: %v", len(e.ms), e.refused))
	}
	return errors.Join(broken...)
}

// What a child can be.
const (
	childHostile = "hostile"
)

// Children are hostile clients.
var Children = lab.Children{childHostile: hostileMain}
