// Package terrain generates the columns of a world from its seed, and finds the place
// where newcomers begin. It is pure: the same seed gives the same bytes on every machine,
// in whatever order columns are asked for (docs/terrain.md). Generator is where to start
// reading; a column is made by a builder, step by step.
package terrain
