// Package hostinglab has the experiment on who gets to host the parts of a world over
// days: simulated nodes come and go, attackers choose their keys and when they come. The
// decisions are those of hostpolicy, the package that nodes decide with; the rest is a
// model: who is there, and what a leader knows of others.
//
// Start with model.go; attack.go is what the attackers do.
package hostinglab
