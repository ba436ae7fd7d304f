// Package overlaylab has the experiments with the Delaunay overlay (thesis 4 and
// 6.3). Start with net.go, the simulated network, and run.go, a run of it.
package overlaylab
