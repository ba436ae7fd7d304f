package lab

import (
	"context"
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Trial is one run of an experiment: what it is given, and what it found.
type Trial struct {
	Context context.Context
	Seed    uint64

	Set      map[string]string
	progress func(string)
	bad      error // the first setting that could not be read
	Runs     int   // of an experiment that does them itself (Experiment.Many)
	Workers  int   // how many of these at a time
	shelf    *Shelf
	mine     func(string) bool
	room     func(context.Context) (func(), error)
	pictures bool // somebody wants pictures

	Metrics []Metric
	Facts   []Fact
	tables  []Table
	plots   []Plot
	heats   []HeatMap
	images  []picture
}

// Metric is a measured number. Paper is the source's figure, if it has one.
type Metric struct {
	Name  string   `json:"name"`
	Value float64  `json:"value"`
	Unit  string   `json:"unit"`
	Paper *float64 `json:"paper,omitempty"`
	Min   *float64 `json:"min,omitempty"` // of several runs; Value is their median
	Max   *float64 `json:"max,omitempty"`
}

// Fact is a result that is no number, a digest for example.
type Fact struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

type picture struct {
	name string
	img  image.Image
}

// Logf tells the person who waits what is happening.
func (t *Trial) Logf(format string, args ...any) {
	if t.progress != nil {
		t.progress(fmt.Sprintf(format, args...))
	}
}

// Text returns a setting.
func (t *Trial) Text(name string) string {
	v, ok := t.Set[name]
	if !ok {
		panic("lab: undeclared setting " + name)
	}
	return v
}

// Int returns a setting that is a whole number of at least least.
func (t *Trial) Int(name string, least int) int {
	n, err := strconv.Atoi(t.Text(name))
	if err != nil || n < least {
		t.Reject(name, fmt.Sprintf("a whole number of at least %d", least))
	}
	return max(n, least)
}

// Float returns a setting that is a number of at least least.
func (t *Trial) Float(name string, least float64) float64 {
	v, err := strconv.ParseFloat(t.Text(name), 64)
	if err != nil || v < least || math.IsInf(v, 0) {
		t.Reject(name, fmt.Sprintf("a number of at least %g", least))
		return least
	}
	return v
}

// Ints returns a setting that is a list of whole numbers, divided by commas.
func (t *Trial) Ints(name string, least int) (out []int) {
	for text := range strings.SplitSeq(t.Text(name), ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < least {
			t.Reject(name, fmt.Sprintf("whole numbers of at least %d, divided by commas", least))
			return []int{least}
		}
		out = append(out, n)
	}
	return out
}

// Floats returns a setting that is a list of numbers, divided by commas.
func (t *Trial) Floats(name string, least float64) (out []float64) {
	for text := range strings.SplitSeq(t.Text(name), ",") {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !(v >= least) || math.IsInf(v, 0) {
			t.Reject(name, fmt.Sprintf("numbers of at least %g, divided by commas", least))
			return []float64{least}
		}
		out = append(out, v)
	}
	return out
}

// Flag returns a setting that is yes or no.
func (t *Trial) Flag(name string) bool {
	text := t.Text(name)
	if text != "yes" && text != "no" {
		t.Reject(name, "yes or no")
	}
	return text == "yes"
}

// Zones returns the setting of replication factors that the overlay has spaces
// for.
func (t *Trial) Zones(name string) []int {
	list := t.Ints(name, 4)
	for _, r := range list {
		if r != 4 && r != 9 && r != 16 {
			t.Reject(name, "some of 4, 9 and 16")
		}
	}
	return list
}

func (t *Trial) Reject(name, want string) {
	if t.bad == nil {
		t.bad = fmt.Errorf("%w: %s is %q, want %s", ErrSetting, name, t.Text(name), want)
	}
}

// Settings returns an error if a setting that was read so far made no sense. An
// experiment calls it after reading them all and before it begins.
func (t *Trial) Settings() error { return t.bad }

// Metric reports a number.
func (t *Trial) Metric(name string, value float64, unit string) {
	t.Metrics = append(t.Metrics, Metric{Name: name, Value: Finite(value), Unit: unit})
}

// Against reports a number that the source has a figure for.
func (t *Trial) Against(name string, value float64, unit string, paper float64) {
	t.Metrics = append(t.Metrics, Metric{Name: name, Value: Finite(value), Unit: unit, Paper: &paper})
}

// AgainstIf reports a number beside the source's figure, if that is of the same.
func (t *Trial) AgainstIf(same bool, name string, value float64, unit string, paper float64) {
	if same {
		t.Against(name, value, unit, paper)
	} else {
		t.Metric(name, value, unit)
	}
}

// Finite keeps numbers that JSON has no word for out of the results.
func Finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}

// Fact reports a result that is no number.
func (t *Trial) Fact(name, text string) { t.Facts = append(t.Facts, Fact{name, text}) }

// Table reports a table.
func (t *Trial) Table(table Table) { t.tables = append(t.tables, table) }

// Plot reports a plot.
func (t *Trial) Plot(p Plot) { t.plots = append(t.plots, p) }

// HeatMap reports a heat map.
func (t *Trial) HeatMap(h HeatMap) { t.heats = append(t.heats, h) }

// Picture reports a picture; draw is only called if somebody wants pictures.
func (t *Trial) Picture(name string, draw func() image.Image) {
	if t.pictures {
		t.Logf("drawing %s", name)
		t.images = append(t.images, picture{name, draw()})
	}
}

// Percentile returns the smallest value that at least p of all values (0 to 1)
// do not exceed; values are sorted in place.
func Percentile(values []float64, p float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	i := int(math.Ceil(p*float64(len(values)))) - 1
	return values[min(max(i, 0), len(values)-1)]
}

func Mean(values []float64) float64 {
	var sum float64
	for _, v := range values {
		sum += v
	}
	return Finite(sum / float64(len(values)))
}

// Indicator is 1 for true.
func Indicator(b bool) int {
	if b {
		return 1
	}
	return 0
}
