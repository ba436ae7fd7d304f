package lab

import (
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
)

// Plot is a line plot. It is written as SVG and its points as CSV.
type Plot struct {
	Name   string // of its files
	Title  string
	X, Y   string // what the axes show, with units
	Series []Series
}

// Series is a line. A dashed line is what a source says or a limit.
type Series struct {
	Name   string
	Points [][2]float64
	Dashed bool
}

// Line returns the line of a name, which begins empty.
func (p *Plot) Line(name string) *Series {
	for i := range p.Series {
		if p.Series[i].Name == name {
			return &p.Series[i]
		}
	}
	p.Series = append(p.Series, Series{Name: name})
	return &p.Series[len(p.Series)-1]
}

// Add adds a point to a line.
func (s *Series) Add(x, y float64) { s.Points = append(s.Points, [2]float64{x, y}) }

// Cumulative are the points of a cumulative distribution in percent.
func Cumulative(values []float64) (points [][2]float64) {
	for q := 1; q <= 100; q++ {
		points = append(points, [2]float64{Percentile(values, float64(q)/100), float64(q)})
	}
	return points
}

// UpTo returns the part of a line whose x is at most x.
func (s Series) UpTo(x float64) Series {
	out := s
	out.Points = nil
	for _, p := range s.Points {
		if p[0] <= x {
			out.Points = append(out.Points, p)
		}
	}
	return out
}

// Size of a plot and of its frame, in pixels.
const (
	plotWide, plotHigh                       = 720, 400
	frameLeft, frameRight, frameTop, frameUp = 70, 20, 56, 52
)

// lineColours can be told apart by colour-blind people (Okabe and Ito).
var lineColours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}

// scale maps values of one axis to pixels.
type scale struct{ lo, hi, from, to float64 }

func (s scale) px(v float64) float64 { return s.from + (v-s.lo)/(s.hi-s.lo)*(s.to-s.from) }

// scales fits both axes to the points; y begins at zero unless it is negative.
func (p *Plot) scales() (x, y scale) {
	x = scale{math.Inf(1), math.Inf(-1), frameLeft, plotWide - frameRight}
	y = scale{0, math.Inf(-1), plotHigh - frameUp, frameTop}
	for _, s := range p.Series {
		for _, at := range s.Points {
			x.lo, x.hi = min(x.lo, at[0]), max(x.hi, at[0])
			y.lo, y.hi = min(y.lo, at[1]), max(y.hi, at[1])
		}
	}
	for _, s := range []*scale{&x, &y} {
		if !(s.hi > s.lo) { // no points, or all the same
			if math.IsInf(s.lo, 0) {
				s.lo = 0
			}
			s.hi = s.lo + 1
		}
	}
	y.hi += (y.hi - y.lo) * 0.06
	return x, y
}

// ticks returns round values within a scale, about n of them.
func (s scale) ticks(n int) []float64 {
	raw := (s.hi - s.lo) / float64(n)
	step := math.Pow(10, math.Floor(math.Log10(raw)))
	for _, m := range []float64{1, 2, 2.5, 5, 10} {
		if step*m >= raw {
			step *= m
			break
		}
	}
	var out []float64
	for i := math.Ceil(s.lo / step); i*step <= s.hi; i++ {
		out = append(out, i*step)
	}
	return out
}

// svg draws the plot.
func (p *Plot) svg(w io.Writer) error {
	x, y := p.scales()
	e := &errWriter{w: w}
	e.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="system-ui, sans-serif" font-size="13">`+"\n", plotWide, plotHigh)
	e.printf(`<rect width="100%%" height="100%%" fill="#fff"/>` + "\n")
	e.printf(`<text x="%d" y="22" font-size="16" fill="#222">%s</text>`+"\n", frameLeft, html.EscapeString(p.Title))
	for _, v := range y.ticks(5) {
		e.printf(`<path d="M%d %.1fH%d" stroke="#e4e4e4"/><text x="%d" y="%.1f" text-anchor="end" fill="#555">%s</text>`+"\n",
			frameLeft, y.px(v), plotWide-frameRight, frameLeft-8, y.px(v)+4, number(v))
	}
	for _, v := range x.ticks(7) {
		e.printf(`<path d="M%.1f %dv5" stroke="#888"/><text x="%.1f" y="%d" text-anchor="middle" fill="#555">%s</text>`+"\n",
			x.px(v), plotHigh-frameUp, x.px(v), plotHigh-frameUp+20, number(v))
	}
	e.printf(`<path d="M%d %dH%d" stroke="#888"/>`+"\n", frameLeft, plotHigh-frameUp, plotWide-frameRight)
	e.printf(`<text x="%d" y="%d" text-anchor="middle" fill="#222">%s</text>`+"\n", (frameLeft+plotWide-frameRight)/2, plotHigh-10, html.EscapeString(p.X))
	mid := (frameTop + plotHigh - frameUp) / 2
	e.printf(`<text transform="translate(18 %d) rotate(-90)" text-anchor="middle" fill="#222">%s</text>`+"\n", mid, html.EscapeString(p.Y))
	left := float64(frameLeft)
	for i, s := range p.Series {
		colour, dash := lineColours[i%len(lineColours)], ""
		if s.Dashed {
			dash = ` stroke-dasharray="6 4"`
		}
		e.printf(`<path d="%s" fill="none" stroke="%s" stroke-width="2" stroke-linejoin="round"%s/>`+"\n", s.path(x, y), colour, dash)
		e.printf(`<path d="M%.0f 40h22" stroke="%s" stroke-width="2"%s/><text x="%.0f" y="44" fill="#222">%s</text>`+"\n",
			left, colour, dash, left+27, html.EscapeString(s.Name))
		left += 27 + 7.2*float64(len(s.Name)) + 18
	}
	e.printf("</svg>\n")
	return e.err
}

func (s Series) path(x, y scale) string {
	out := ""
	for i, at := range s.Points {
		c := "L"
		if i == 0 {
			c = "M"
		}
		out += fmt.Sprintf("%s%.1f %.1f", c, x.px(at[0]), y.px(at[1]))
	}
	return out
}

// csv writes one row for each point: series, x, y.
func (p *Plot) csv(w io.Writer) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{"series", p.X, p.Y}) // the error stays until Error
	for _, s := range p.Series {
		for _, at := range s.Points {
			_ = c.Write([]string{s.Name, strconv.FormatFloat(at[0], 'g', 8, 64), strconv.FormatFloat(at[1], 'g', 8, 64)})
		}
	}
	c.Flush()
	return c.Error()
}

// errWriter keeps the first error of a row of writes.
type errWriter struct {
	w   io.Writer
	err error
}

func (e *errWriter) printf(format string, args ...any) {
	if e.err == nil {
		_, e.err = fmt.Fprintf(e.w, format, args...)
	}
}
