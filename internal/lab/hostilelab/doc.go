// Package hostilelab has the experiments in which hostile clients and nodes, those
// of package hostile, attack a real world.
package hostilelab
