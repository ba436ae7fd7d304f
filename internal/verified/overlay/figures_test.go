package overlay_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	. "github.com/voxelpopuli/voxelpopuli/internal/verified/overlay"
)

var update = flag.Bool("update", false, "write the figures of docs/protocols/overlay.md")

// TestFigures draws the pictures of docs/protocols/overlay.md with the code that
// they are about; -update writes them.
func TestFigures(t *testing.T) {
	for name, draw := range map[string]func(*drawing){"cells": cellsFigure, "zones": zonesFigure, "areacast": areacastFigure} {
		var d drawing
		draw(&d)
		got := d.svg()
		path := filepath.Join("..", "..", "..", "docs", "protocols", "overlay", name+".svg")
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the code draws (%v); run the test with -update and look at it", path, err)
		}
	}
}

// drawing is an SVG picture of figureSide units a side.
type drawing struct{ bytes.Buffer }

const figureSide = 480

var figureBounds = geom.Rect{Max: geom.Point{X: figureSide, Y: figureSide}}

func (d *drawing) svg() []byte {
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="-4 -4 %d %d" width="%d" font-family="sans-serif" font-size="13">`+"\n"+
		`<rect x="-4" y="-4" width="100%%" height="100%%" fill="#fff"/>`+"\n", figureSide+8, figureSide+8, figureSide+8)
	return append([]byte(head), append(d.Bytes(), "</svg>\n"...)...)
}

func (d *drawing) polygon(p geom.Polygon, style string) {
	d.WriteString(`<polygon points="`)
	for _, c := range p {
		fmt.Fprintf(d, "%d,%d ", c.X, c.Y)
	}
	fmt.Fprintf(d, `" %s/>`+"\n", style)
}

func (d *drawing) line(a, b geom.Point, style string) {
	fmt.Fprintf(d, `<line x1="%d" y1="%d" x2="%d" y2="%d" %s/>`+"\n", a.X, a.Y, b.X, b.Y, style)
}

func (d *drawing) dot(p geom.Point, r int, style string) {
	fmt.Fprintf(d, `<circle cx="%d" cy="%d" r="%d" %s/>`+"\n", p.X, p.Y, r, style)
}

func (d *drawing) text(x, y int, s string) {
	fmt.Fprintf(d, `<text x="%d" y="%d">%s</text>`+"\n", x, y, s)
}

const (
	cellStyle  = `fill="none" stroke="#999"`
	linkStyle  = `stroke="#0072b2" stroke-width="1.5"`
	treeStyle  = `stroke="#d55e00" stroke-width="3"`
	areaStyle  = `fill="#e69f00" fill-opacity="0.25" stroke="#e69f00"`
	nodeStyle  = `fill="#000"`
	innerStyle = `fill="#56b4e9" fill-opacity="0.25" stroke="none"`
)

// scattered are places that are not too near to each other.
func scattered(n int) (out []geom.Point) {
	r := rng.New(11)
	for len(out) < n {
		p := geom.Point{X: int32(12 + r.Intn(figureSide-24)), Y: int32(12 + r.Intn(figureSide-24))}
		near := false
		for _, q := range out {
			near = near || p.Dist2(q) < 32*32
		}
		if !near {
			out = append(out, p)
		}
	}
	return out
}

// starAndCell is what the node at p calculates.
func starAndCell(p geom.Point, all []geom.Point) (star []geom.Point, cell geom.Polygon) {
	for _, i := range geom.Star(p, all, nil) {
		star = append(star, all[i])
	}
	return star, geom.Cell(p, star, figureBounds, nil)
}

func cellsFigure(d *drawing) {
	all := scattered(36)
	for _, p := range all {
		star, cell := starAndCell(p, all)
		d.polygon(cell, cellStyle)
		for _, q := range star {
			if p.Less(q) {
				d.line(p, q, linkStyle)
			}
		}
	}
	for _, p := range all {
		d.dot(p, 4, nodeStyle)
	}
}

// zonesFigure shows r = 9: zones, sub-areas, and a node with its targets on the
// first three layers.
func zonesFigure(d *drawing) {
	s := Space{Base: 3, Digits: 6, Layers: 3} // 729 units a side
	scale := func(p geom.Point) geom.Point {
		return geom.Point{X: p.X * figureSide / s.Side(), Y: p.Y * figureSide / s.Side()}
	}
	corners := func(r geom.Rect) geom.Polygon {
		return geom.Rect{Min: scale(r.Min), Max: scale(geom.Point{X: r.Max.X + 1, Y: r.Max.Y + 1})}.Polygon(nil)
	}
	third := s.Side() / s.Base
	for zone := range s.Zones() {
		sub := s.SubArea(zone)
		d.polygon(corners(sub), innerStyle)
		d.polygon(corners(geom.Rect{Min: sub.Min, Max: geom.Point{X: sub.Min.X + third - 1, Y: sub.Min.Y + third - 1}}), cellStyle)
	}
	a := geom.Point{X: third + 47, Y: third + 61}
	for _, slot := range s.Slots(a) {
		p := scale(s.Target(a, slot))
		if slot.Layer == 0 {
			d.line(scale(a), p, `stroke="#0072b2" stroke-dasharray="4 4"`)
		}
		d.dot(p, 5-slot.Layer, `fill="none" stroke="#d55e00" stroke-width="2"`)
	}
	d.dot(scale(a), 5, nodeStyle)
	d.text(int(scale(a).X)+8, int(scale(a).Y)-6, "a")
}

// areacastFigure shows the tree of an areacast.
func areacastFigure(d *drawing) {
	all := scattered(36)
	area := Area{Circle: geom.Circle{C: geom.Point{X: 250, Y: 230}, R: 120}}
	root := all[0]
	for _, p := range all {
		if geom.Closer(area.Circle.C, p, root) {
			root = p
		}
	}
	overlaps := map[geom.Point]bool{}
	for _, p := range all {
		_, cell := starAndCell(p, all)
		if overlaps[p] = area.Overlaps(cell); overlaps[p] {
			d.polygon(cell, innerStyle)
		}
		d.polygon(cell, cellStyle)
	}
	d.dot(area.Circle.C, int(area.Circle.R), areaStyle)
	for _, p := range all {
		if overlaps[p] && p != root {
			d.line(p, treeParent(p, root, area.Circle.C, all, overlaps), treeStyle)
		}
	}
	for _, p := range all {
		d.dot(p, 4, nodeStyle)
	}
	d.dot(root, 7, `fill="#d55e00"`)
}

func treeParent(p, root, anchor geom.Point, all []geom.Point, overlaps map[geom.Point]bool) geom.Point {
	star, _ := starAndCell(p, all)
	best := p
	for _, q := range star {
		if q == root {
			return root
		}
		if overlaps[q] && geom.Closer(anchor, q, best) {
			best = q
		}
	}
	return best
}
