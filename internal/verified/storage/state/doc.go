// Package state is the world that the storage keeps: objects, players' actions, cells
// and snapshots of a part of the world at an update, and Rules, by which the world goes
// on (thesis 5.2.1, 5.3.1, 5.3.6).
//
// Everything is data: frozen once it is made, without a network, a clock or a node.
// Replayer computes a cell of the next update from a snapshot; ReplayCache finds what
// was computed before by its content. Mapping says where a place of the world lies in
// each zone, Timing when an update's steps are.
//
// Two nodes with the same snapshot and the same batches compute the same cell.
//
// Start with Rules, Cell and Snapshot.
package state
