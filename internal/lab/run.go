package lab

import (
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// Options say how an experiment is run. The zero value runs it once with seed 1
// and its default settings and prints the results.
type Options struct {
	Seed   uint64            // 0 means 1
	Runs   int               // with seeds Seed, Seed+1, …; below 1 means 1
	Set    map[string]string // settings that differ from their defaults
	Jobs   int               // runs at a time, of experiments that do many; below 1 means one for each core
	JSON   string            // file for the metrics; "" none
	Out    string            // folder for tables (CSV), plots (SVG) and pictures (PNG); "" none
	Report io.Writer         // where tables are printed; nil means standard output

	// For experiments that do many runs.
	Shelf *Shelf                                          // where results of runs are kept; nil means Out/runs, if there is Out
	Mine  func(run string) bool                           // which runs may be done here; the others must be on the shelf (ErrElsewhere); nil means all
	Room  func(context.Context) (leave func(), err error) // waits until there is room for one more run; nil means at once
}

// Run runs an experiment and reports its results. progress, if not nil, is told
// what is happening. An experiment that finds a promise broken returns an error
// after everything has been reported.
func Run(ctx context.Context, e Experiment, o Options, progress func(string)) error {
	name := e.Name
	set, err := e.settings(o.Set)
	if err != nil {
		return err
	}
	o.Seed, o.Runs = max(o.Seed, 1), max(o.Runs, 1)
	if o.Jobs < 1 {
		o.Jobs = workers()
	}
	rounds := o.Runs
	if e.Many {
		rounds = 1
	}
	if o.Report == nil {
		o.Report = os.Stdout
	}
	if o.Shelf == nil && o.Out != "" && e.Many {
		if o.Shelf, err = OpenShelf(filepath.Join(o.Out, "runs")); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	trials := make([]*Trial, 0, rounds)
	var failed error
	for i := range rounds {
		t := &Trial{Context: ctx, Seed: o.Seed + uint64(i), Set: set, progress: progress, pictures: o.Out != "",
			Runs: o.Runs, Workers: o.Jobs, shelf: o.Shelf, mine: o.Mine, room: o.Room}
		if err := e.Run(t); err != nil {
			if len(t.Metrics) == 0 {
				return fmt.Errorf("%s: %w", name, err)
			}
			failed = fmt.Errorf("%s, seed %d: %w", name, t.Seed, err)
		}
		trials = append(trials, t)
		if err := t.save(o.Out, i); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	metrics := merge(trials)
	report(o.Report, e, trials, metrics)
	if o.JSON != "" {
		r := Result{Name: name, Seed: o.Seed, Runs: o.Runs, Settings: typed(set), Metrics: metrics, Facts: trials[0].Facts, Differs: e.Differs}
		if err := r.write(o.JSON); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return failed
}

// Result is what --json writes.
type Result struct {
	Name     string         `json:"name"`
	Seed     uint64         `json:"seed"`
	Runs     int            `json:"runs"`
	Settings map[string]any `json:"settings"` // numbers where they are
	Metrics  []Metric       `json:"metrics"`
	Facts    []Fact         `json:"facts,omitempty"`
	Differs  []string       `json:"differs,omitempty"`
}

// Metric is the value of a metric, −1 if there is none of that name.
func (r *Result) Metric(name string) float64 {
	for _, m := range r.Metrics {
		if m.Name == name {
			return m.Value
		}
	}
	return -1
}

// typed makes numbers of the settings that are.
func typed(set map[string]string) map[string]any {
	out := make(map[string]any, len(set))
	for name, text := range set {
		out[name] = text
		if v, err := strconv.ParseFloat(text, 64); err == nil && v-v == 0 { // no infinity
			out[name] = v
		}
	}
	return out
}

func (r Result) write(file string) error {
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(b, '\n'), 0o644)
}

// merge returns the metrics of the trials: those of a single one, or the median
// of several with the least and the greatest.
func merge(trials []*Trial) []Metric {
	out := append([]Metric{}, trials[0].Metrics...)
	if len(trials) == 1 {
		return out
	}
	for i := range out {
		var values []float64
		for _, t := range trials {
			for _, m := range t.Metrics {
				if m.Name == out[i].Name {
					values = append(values, m.Value)
				}
			}
		}
		out[i].Value = Percentile(values, 0.5)
		out[i].Min, out[i].Max = &values[0], &values[len(values)-1]
	}
	return out
}

// report prints the tables of the first trial and the metrics of all.
func report(w io.Writer, e Experiment, trials []*Trial, metrics []Metric) {
	fmt.Fprintf(w, "%s: %s\nCompared with: %s\n", e.Name, e.Shows, e.Source)
	for i := range trials[0].tables {
		trials[0].tables[i].print(w)
	}
	table := Table{Title: "Metrics", Columns: []string{"", "value", "unit", "source"}}
	if len(trials) > 1 {
		table.Title = fmt.Sprintf("Metrics, median of %d runs", len(trials))
		table.Columns = append(table.Columns, "least", "greatest")
	}
	for _, m := range metrics {
		paper := "–"
		if m.Paper != nil {
			paper = number(*m.Paper)
		}
		row := []any{m.Name, m.Value, m.Unit, paper}
		if m.Min != nil {
			row = append(row, *m.Min, *m.Max)
		}
		table.Row(row...)
	}
	table.print(w)
	for _, f := range trials[0].Facts {
		fmt.Fprintf(w, "  %s: %s\n", f.Name, f.Text)
	}
	if len(e.Differs) > 0 {
		fmt.Fprintf(w, "\nWhere and why ours differ from the source\n")
	}
	for _, line := range e.Differs {
		fmt.Fprintf(w, "  - %s\n", line)
	}
}

// save writes a trial's files; later trials of a run get folders of their own.
func (t *Trial) save(dir string, run int) error {
	if dir == "" {
		return nil
	}
	if run > 0 {
		dir = filepath.Join(dir, fmt.Sprintf("seed-%d", t.Seed))
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i := range t.tables {
		if table := &t.tables[i]; table.Name != "" {
			if err := create(dir, table.Name+".csv", table.csv); err != nil {
				return err
			}
		}
	}
	figure := func(name string, svg, csv func(io.Writer) error) error {
		if err := create(dir, name+".svg", svg); err != nil {
			return err
		}
		return create(dir, name+".csv", csv)
	}
	for i := range t.plots {
		p := &t.plots[i]
		if err := figure(p.Name, p.svg, p.csv); err != nil {
			return err
		}
	}
	for i := range t.heats {
		h := &t.heats[i]
		if err := figure(h.Name, h.svg, h.csv); err != nil {
			return err
		}
	}
	for _, p := range t.images {
		if err := create(dir, p.name+".png", func(w io.Writer) error { return png.Encode(w, p.img) }); err != nil {
			return err
		}
	}
	return nil
}

func create(dir, name string, write func(io.Writer) error) (err error) {
	f, err := os.Create(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	defer func() {
		if cerr := f.Close(); err == nil {
			err = cerr
		}
	}()
	return write(f)
}
