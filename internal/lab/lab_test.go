package lab

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestPlotIsWellFormed(t *testing.T) {
	for name, p := range map[string]Plot{
		"empty":     {Title: "nothing"},
		"one point": {Series: []Series{{Name: "a", Points: [][2]float64{{3, 4}}}}},
		"lines & <": {Title: "a < b & c", X: "players", Y: "ms", Series: []Series{
			{Name: "us", Points: [][2]float64{{0, 1}, {50, 12.5}, {100, 30}}},
			{Name: "limit", Points: [][2]float64{{0, 50}, {100, 50}}, Dashed: true},
		}},
	} {
		var b bytes.Buffer
		if err := p.svg(&b); err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(&b)
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Errorf("%s: %v", name, err)
				break
			}
		}
		if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
			t.Errorf("%s: a coordinate is no number", name)
		}
	}
}

// A heat map is well formed, and its colours get darker all the way.
func TestHeatMapIsWellFormed(t *testing.T) {
	h := HeatMap{Title: "a < b", X: "share", Y: "who & what", Columns: []string{"1 %", "2 %"}, Rows: []HeatRow{
		{Name: "<all>", Cells: []HeatCell{{Share: 0, Text: "0 of 3"}, {Share: 1, Text: "3 of 3"}}},
	}}
	var b bytes.Buffer
	if err := h.svg(&b); err != nil {
		t.Fatal(err)
	}
	rects := 0
	for d := xml.NewDecoder(&b); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "rect" {
			rects++
		}
	}
	if rects != 3 {
		t.Errorf("%d rectangles, want the ground and two cells", rects)
	}
	last := 1000
	for share := 0.0; share <= 1; share += 0.125 {
		var r, g, b int
		if _, err := fmt.Sscanf(heatColour(share), "#%02x%02x%02x", &r, &g, &b); err != nil || 3*r+6*g+b >= last*10 {
			t.Errorf("share %v: %s, %v", share, heatColour(share), err)
		}
		last = (3*r + 6*g + b) / 10
	}
	if heatColour(0) != "#ffffff" {
		t.Errorf("no share is %s", heatColour(0))
	}
}

func TestPercentile(t *testing.T) {
	v := []float64{5, 1, 4, 2, 3}
	for p, want := range map[float64]float64{0: 1, 0.5: 3, 0.99: 5, 1: 5} {
		if got := Percentile(v, p); got != want {
			t.Errorf("percentile %v = %v, want %v", p, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 12: "12", 0.0123: "0.0123", 1.234: "1.23", 56.78: "56.8", 1234.5: "1234"} {
		if got := number(v); got != want {
			t.Errorf("number(%v) = %s, want %s", v, got, want)
		}
	}
}
