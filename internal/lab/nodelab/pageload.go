package nodelab

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var PageLoad = lab.Experiment{
	Name:   "page-load",
	Shows:  "how long it takes from opening the page of one's own node until one stands in the world, in a Chromium that has never seen it, and how much code that loads",
	Source: "own aims: 2 s, better 1 s; 230 kB, better 200 kB",
	Settings: []lab.Setting{
		{Name: "visits", Default: "3", Text: "times that the page is opened, each with a new profile; the median counts"},
	},
	Run: runPageLoad,
}

// enterScript presses Play as soon as there is something to press, waits until
// the player stands in the world and tells what was loaded. Times are from the
// beginning of the navigation.
const enterScript = `new Promise((resolve, reject) => {
	let pressed = 0;
	const timer = setInterval(() => {
		const state = window.vp?.state();
		if (!state) return;
		const play = document.querySelector('#play');
		if (state.stage === 'start' && play && !pressed) {
			const name = document.querySelector('#name');
			name.value ||= 'Visitor';
			pressed = performance.now();
			play.click();
		}
		if (state.error) { clearInterval(timer); reject(new Error(state.error)); }
		if (!state.ready) return;
		clearInterval(timer);
		const files = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
		const code = files.filter(f => /(\/|\.html|\.js|\.css)$/.test(new URL(f.name).pathname));
		resolve({
			ready: performance.now(), pressed, columns: state.columns, fps: state.fps,
			code: code.reduce((sum, f) => sum + f.encodedBodySize, 0),
			plain: code.reduce((sum, f) => sum + f.decodedBodySize, 0),
		});
	}, 10);
})`

// visitPage is what one visit of the page was like; times in ms, sizes in bytes.
type visit struct {
	Ready, Pressed, FPS  float64
	Columns, Code, Plain float64
}

func runPageLoad(t *lab.Trial) (err error) {
	visits := t.Int("visits", 1)
	if err := t.Settings(); err != nil {
		return err
	}
	s, err := startServer(t.Seed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	var ready, pressed []float64
	var last visit
	for i := range visits {
		if last, err = VisitPage(t, s.LocalURL(), func() error { return nil }); err != nil {
			return err
		}
		t.Logf("visit %d: in the world after %.2f s", i+1, last.Ready/1e3)
		ready, pressed = append(ready, last.Ready/1e3), append(pressed, last.Pressed/1e3)
	}
	t.Metric("ready_s", lab.Percentile(ready, 0.5), "s")
	t.Metric("ready_worst_s", lab.Percentile(ready, 1), "s")
	t.Metric("play_button_s", lab.Percentile(pressed, 0.5), "s")
	t.Metric("gzip_kb", last.Code/1e3, "kB")
	t.Metric("plain_kb", last.Plain/1e3, "kB")
	t.Metric("columns", last.Columns, "")
	return nil
}

// VisitPage opens the page in a new browser, which is started by another program if that is
// given, and lets it do something while it stands in the world.
func VisitPage(t *lab.Trial, url string, then func() error, by ...string) (v visit, err error) {
	ctx, cancel := context.WithTimeout(t.Context, time.Minute)
	defer cancel()
	b, err := openBrowser(ctx, by...)
	if err != nil {
		return v, err
	}
	defer b.close()
	if err := b.open(ctx, url); err != nil {
		return v, err
	}
	if err := b.waitFor(ctx, "location.href.startsWith('http')"); err != nil {
		return v, err
	}
	if err := b.eval(ctx, enterScript, &v); err != nil {
		return v, fmt.Errorf("entering the world: %w", err)
	}
	return v, then()
}
