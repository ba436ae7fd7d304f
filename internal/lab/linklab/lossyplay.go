package linklab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/app/host"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/lab/nodelab"
)

var LossyPlay = lab.Experiment{
	Name:   "lossy-play",
	Shows:  "how a bad line feels over a WebSocket and over data channels, side by side: frames, acknowledgements of steps, freezes",
	Source: "a lost TCP segment blocks everything behind it; own aim: a tenth of the freezes at 2 % loss, better none",
	Settings: []lab.Setting{
		{Name: "losses", Default: "0,1,2,5", Unit: "%", Text: "of the packets in each direction, one after the other"},
		{Name: "delay", Default: "150", Unit: "ms", Text: "of each packet, in each direction"},
		{Name: "jitter", Default: "50", Unit: "ms", Text: "more or less: packets overtake each other"},
		{Name: "seconds", Default: "60", Unit: "s", Text: "for each loss"},
		{Name: "outage", Default: "1000", Unit: "ms", Text: "in which no packet arrives, three times after that; 0: none"},
		{Name: "others", Default: "6", Text: "players who walk about near the two"},
	},
	Run: runLossyPlay,
}

// lineSettle is how long the two play before they are measured.
const lineSettle = 5 * time.Second

func runLossyPlay(t *lab.Trial) (err error) {
	losses, others := t.Ints("losses", 0), t.Int("others", 0)
	faults := lineFaults{
		Delay:  time.Duration(t.Int("delay", 0)) * time.Millisecond,
		Jitter: time.Duration(t.Int("jitter", 0)) * time.Millisecond,
	}
	length := time.Duration(t.Int("seconds", 1)) * time.Second
	outage := time.Duration(t.Int("outage", 0)) * time.Millisecond
	if err := t.Settings(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(t.Context)
	defer cancel()
	line, err := openLine(t.Seed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, line.close()) }()
	s, err := nodelab.StartServerWith(t.Seed, func(c *host.Config) {
		c.Listen, c.Nodes, c.Share, c.NoPortMapping = line.near.String()+":0", line.near.String()+":0", true, true
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	at := s.BrowsersAt()
	if len(at) == 0 {
		return errors.New("the node takes no data channels")
	}
	first := lineOrder{URL: s.URL(), Code: s.Invitation().Text(), At: at[0].Addr, Fingerprint: at[0].Fingerprint, Seed: t.Seed}
	if err := strollers(ctx, s, first, others); err != nil {
		return err
	}
	players, err := lab.Start(ctx, childLine, os.Stderr, line.on()...)
	if err != nil {
		return err
	}
	defer players.Close()
	line.set(lineFaults{Delay: faults.Delay})
	if _, err := askLine(players, &first); err != nil {
		return err
	}
	table := lab.Table{Name: "lossy-play", Columns: []string{"loss", "way", "frames_s", "ack_p50_ms", "ack_p99_ms", "freezes_min", "longest_ms", "corrections_min", "kb_s"}}
	for _, loss := range losses {
		faults.Loss = float64(loss) / 100
		line.set(faults)
		if err := lab.Sleep(ctx, lineSettle); err != nil {
			return err
		}
		got, err := askLine(players, &lineOrder{Play: length})
		if err != nil {
			return err
		}
		for _, way := range []string{byWebSocket, byChannels} {
			f := got.Feel[way]
			minutes := f.Seconds / 60
			name := fmt.Sprintf("%s_%d_", way, loss)
			t.Metric(name+"frames_s", float64(f.Frames)/f.Seconds, "/s")
			t.Metric(name+"ack_p50_ms", lab.Percentile(f.Acks, 0.5), "ms")
			t.Metric(name+"ack_p99_ms", lab.Percentile(f.Acks, 0.99), "ms")
			t.Metric(name+"freezes_min", float64(len(f.Gaps))/minutes, "/min")
			t.Logf("%d %% loss, %s: %.1f frames/s, acknowledged after %.0f ms (p99 %.0f), %d freezes", loss, way,
				float64(f.Frames)/f.Seconds, lab.Percentile(f.Acks, 0.5), lab.Percentile(f.Acks, 0.99), len(f.Gaps))
			table.Row(fmt.Sprint(loss), way, float64(f.Frames)/f.Seconds, lab.Percentile(f.Acks, 0.5), lab.Percentile(f.Acks, 0.99),
				float64(len(f.Gaps))/minutes, lab.Percentile(f.Gaps, 1), float64(f.Fixed)/minutes, float64(f.Bytes)/1e3/f.Seconds)
		}
		if n := len(got.Feel[byWebSocket].Gaps); loss == 2 && n > 0 {
			t.Metric("freezes_ratio", float64(len(got.Feel[byChannels].Gaps))/float64(n), "")
		}
	}
	t.Table(table)
	if outage == 0 {
		return nil
	}
	faults.Loss = 0
	return interrupt(t, ctx, line, faults, players, outage)
}

// How often the line is interrupted, and how long it works before and after.
const (
	outages       = 3
	betweenOutage = 6 * time.Second
)

// interrupt measures what interruptions of the line are like.
func interrupt(t *lab.Trial, ctx context.Context, line *badLine, faults lineFaults, players *lab.Process, outage time.Duration) error {
	line.set(faults)
	if err := lab.Sleep(ctx, lineSettle); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() {
		cut := faults
		cut.Loss = 1
		for range outages {
			err := lab.Sleep(ctx, betweenOutage)
			line.set(cut)
			if err = errors.Join(err, lab.Sleep(ctx, outage)); err != nil {
				ended <- err
				return
			}
			line.set(faults)
		}
		ended <- nil
	}()
	got, err := askLine(players, &lineOrder{Play: outages*(betweenOutage+outage) + betweenOutage})
	if err = errors.Join(err, <-ended); err != nil {
		return err
	}
	table := lab.Table{Name: "lossy-play-outage", Columns: []string{"outage_ms", "way", "freezes", "longest_ms", "back_ms", "ack_p50_ms", "ack_p99_ms", "corrections"}}
	for _, way := range []string{byWebSocket, byChannels} {
		f, name := got.Feel[way], way+"_outage_"
		longest := lab.Percentile(f.Gaps, 1)
		back := longest - nodelab.Milliseconds(outage)
		t.Metric(name+"freezes", float64(len(f.Gaps))/outages, "")
		t.Metric(name+"back_ms", back, "ms")
		t.Metric(name+"corrections", float64(f.Fixed)/outages, "")
		t.Logf("outages of %v, %s: %.1f freezes each, the longest %.0f ms, acknowledged after %.0f ms (p99 %.0f), %.1f corrections each", outage, way,
			float64(len(f.Gaps))/outages, longest, lab.Percentile(f.Acks, 0.5), lab.Percentile(f.Acks, 0.99), float64(f.Fixed)/outages)
		table.Row(nodelab.Milliseconds(outage), way, float64(len(f.Gaps))/outages, longest, back,
			lab.Percentile(f.Acks, 0.5), lab.Percentile(f.Acks, 0.99), float64(f.Fixed)/outages)
	}
	t.Table(table)
	return nil
}

// askLine gives the process of the two an order.
func askLine(c *lab.Process, o *lineOrder) (r lineReport, err error) {
	if err = c.Do(o, &r, 0); err == nil && r.Error != "" {
		err = errors.New(r.Error)
	}
	return r, err
}

// strollers are players on this machine who walk about until ctx ends.
func strollers(ctx context.Context, s *nodelab.Server, o lineOrder, n int) error {
	l, home := nodelab.NewLand(s.Seed()), s.World().Spawn
	enter := func(ctx context.Context, who client.Identity, _ int) (client.Conn, *wire.Welcome, error) {
		return client.Dial(ctx, strings.TrimSuffix(o.URL, "/"), who, o.Code)
	}
	for i := range n {
		who, err := client.NewIdentity(fmt.Sprintf("walker %d", i))
		if err != nil {
			return err
		}
		w, err := nodelab.JoinWalker(ctx, enter, l, who, i, home)
		if err != nil {
			return err
		}
		context.AfterFunc(ctx, func() { w.Conn.Close() })
		go func() { _ = w.Listen() }() // until its connection is closed
		go func() {
			tick := time.NewTicker(nodelab.Stepping)
			defer tick.Stop()
			var buf []byte
			for err := error(nil); err == nil; buf, err = w.Step(buf) {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
			}
		}()
	}
	return nil
}
