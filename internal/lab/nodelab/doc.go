// Package nodelab has the experiments that measure real nodes on this machine:
// latency, load, failure of hosts, the page in a browser. Start with cluster.go,
// processes that host a world, and mason.go, a player that edits.
package nodelab
