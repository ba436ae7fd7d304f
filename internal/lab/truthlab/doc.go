// Package truthlab has the experiment that compares what real nodes of a verified
// world store with a replay of what players signed.
package truthlab
