// Package kademlialab has the experiments with the directory: lookups, RPCs and
// memory of Kademlia nodes, and attackers among them (dissertation 4.1, S/Kademlia).
// net.go has the simulated network.
package kademlialab
