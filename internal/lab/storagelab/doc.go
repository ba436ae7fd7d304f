// Package storagelab has the experiments with the replicated storage (thesis 5, 6.2
// and 6.4), in the thesis' world and in the voxel world. Start with net.go, the
// simulated network, and run.go, a run of it; siege.go adds attackers.
package storagelab
