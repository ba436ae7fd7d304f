package lab

import (
	"encoding/csv"
	"fmt"
	"html"
	"io"
	"strconv"
	"unicode/utf8"
)

// HeatMap is a table of shares from 0 to 1 as coloured cells. It is written as SVG and its
// cells as CSV.
type HeatMap struct {
	Name    string // of its files
	Title   string
	X, Y    string // what the axes show, with units
	Columns []string
	Rows    []HeatRow
}

// HeatRow is a row of cells, one for each column.
type HeatRow struct {
	Name  string
	Cells []HeatCell
}

// HeatCell is a share and what is written on it.
type HeatCell struct {
	Share float64
	Text  string
}

// Size of a heat map's cells and of the space around them, in pixels.
const (
	heatWide, heatHigh = 84, 34
	heatTop, heatUp    = 44, 58
	heatLetter         = 7.5 // width of a letter, about
)

// heatColour goes from white over orange to dark red: its lightness falls all the way, so
// that colour-blind people and grey prints show the same.
func heatColour(share float64) string {
	share = min(max(share, 0), 1)
	mix := func(a, b, at float64) int { return int(a + (b-a)*at + 0.5) }
	if share < 0.5 {
		return fmt.Sprintf("#%02x%02x%02x", mix(255, 240, 2*share), mix(255, 140, 2*share), mix(255, 60, 2*share))
	}
	at := 2*share - 1
	return fmt.Sprintf("#%02x%02x%02x", mix(240, 120, at), mix(140, 0, at), mix(60, 10, at))
}

// svg draws the heat map.
func (h *HeatMap) svg(w io.Writer) error {
	left := 8 * heatLetter
	for _, r := range h.Rows {
		left = max(left, float64(utf8.RuneCountInString(r.Name))*heatLetter)
	}
	left += 40
	wide, high := left+float64(len(h.Columns)*heatWide)+20, heatTop+len(h.Rows)*heatHigh+heatUp
	wide = max(wide, float64(utf8.RuneCountInString(h.Title))*heatLetter*1.15+30)
	e := &errWriter{w: w}
	e.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" font-family="system-ui, sans-serif" font-size="13">`+"\n", wide, high)
	e.printf(`<rect width="100%%" height="100%%" fill="#fff"/>` + "\n")
	e.printf(`<text x="18" y="24" font-size="16" fill="#222">%s</text>`+"\n", html.EscapeString(h.Title))
	for i, r := range h.Rows {
		y := heatTop + i*heatHigh
		e.printf(`<text x="%.0f" y="%d" text-anchor="end" fill="#222">%s</text>`+"\n", left-8, y+heatHigh/2+4, html.EscapeString(r.Name))
		for k, c := range r.Cells {
			ink := "#222"
			if c.Share > 0.6 {
				ink = "#fff"
			}
			x := left + float64(k*heatWide)
			e.printf(`<rect x="%.0f" y="%d" width="%d" height="%d" fill="%s" stroke="#bbb"/><text x="%.0f" y="%d" text-anchor="middle" fill="%s">%s</text>`+"\n",
				x, y, heatWide, heatHigh, heatColour(c.Share), x+heatWide/2, y+heatHigh/2+4, ink, html.EscapeString(c.Text))
		}
	}
	under := heatTop + len(h.Rows)*heatHigh
	for k, name := range h.Columns {
		e.printf(`<text x="%.0f" y="%d" text-anchor="middle" fill="#555">%s</text>`+"\n", left+float64(k*heatWide)+heatWide/2, under+20, html.EscapeString(name))
	}
	e.printf(`<text x="%.0f" y="%d" text-anchor="middle" fill="#222">%s</text>`+"\n", left+float64(len(h.Columns)*heatWide)/2, under+44, html.EscapeString(h.X))
	mid := heatTop + len(h.Rows)*heatHigh/2
	e.printf(`<text transform="translate(18 %d) rotate(-90)" text-anchor="middle" fill="#222">%s</text>`+"\n", mid, html.EscapeString(h.Y))
	e.printf("</svg>\n")
	return e.err
}

// csv writes one row for each cell: row, column, share, text.
func (h *HeatMap) csv(w io.Writer) error {
	c := csv.NewWriter(w)
	_ = c.Write([]string{h.Y, h.X, "share", "text"}) // the error stays until Error
	for _, r := range h.Rows {
		for k, cell := range r.Cells {
			_ = c.Write([]string{r.Name, h.Columns[k], strconv.FormatFloat(cell.Share, 'g', 6, 64), cell.Text})
		}
	}
	c.Flush()
	return c.Error()
}
