// Package chaoslab has the experiment in which real nodes are killed, frozen, cut
// off and slowed down while players edit, and nothing acknowledged may be lost.
package chaoslab
