// Package worldlab has the experiments with the world alone: its terrain, and that
// the same seed gives the same world.
package worldlab
