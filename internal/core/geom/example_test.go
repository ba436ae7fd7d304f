package geom_test

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/geom"
)

// The Delaunay neighbours of a node are found among those that it knows; the one
// at the far left is hidden behind the others.
func ExampleStar() {
	self := geom.Point{}
	known := []geom.Point{{X: 10}, {Y: 10}, {X: -10}, {Y: -10}, {X: -50}}
	for _, i := range geom.Star(self, known, nil) {
		fmt.Println(known[i])
	}
	// Unordered output:
	// {10 0}
	// {0 10}
	// {-10 0}
	// {0 -10}
}

// The node nearest to a point is responsible for it; of two at the same distance
// it is the leftmost.
func ExampleCloser() {
	a, b := geom.Point{X: -3}, geom.Point{X: 3}
	fmt.Println(geom.Closer(geom.Point{X: 1}, a, b), geom.Closer(geom.Point{}, a, b))
	// Output: false true
}

// A node's Voronoi cell is what lies nearer to it than to its neighbours.
func ExampleCell() {
	world := geom.Rect{Min: geom.Point{X: -100, Y: -100}, Max: geom.Point{X: 100, Y: 100}}
	cell := geom.Cell(geom.Point{}, []geom.Point{{X: 20}, {X: -20}}, world, nil)
	fmt.Println(cell.Contains(geom.Point{X: 9, Y: 80}), cell.Contains(geom.Point{X: 11, Y: 80}))
	// Output: true false
}
