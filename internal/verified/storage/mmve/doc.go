// Package mmve is the world of the thesis' storage experiments (Schuster 2013,
// section 6.4.1) as storage.Rules: 44,890 NPCs that wander about their homes,
// 5000 characters, points of interest, and the behaviour of those who play.
//
// What the thesis leaves open is decided here: a character walks where its last
// move led, an interaction takes health from an NPC within 40 m. Influence goes
// from characters to NPCs and no further within one interval, which is what
// bounds it by d = v·Δt + d_i.
//
// Objects are immutable and shared; integers only.
package mmve
