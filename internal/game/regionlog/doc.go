// Package regionlog lets others replay a region, and who has which name in the lobby
// (Register, register.go): both are a part (part.go). What changes a region's area is an
// event: a tick or acts with their commands, a player, mob or item that is put in or
// taken out, a block beyond the border. The leader of a region hashes its events into a
// chain and signs a Checkpoint of chain and state about once a second. A follower that
// has the state of one checkpoint and the events since then runs the same rules and must
// reach the state of the next. If it does not, the two checkpoints and the events
// between them are a Proof that anybody can check.
//
// Source: A. Haeberlen, P. Kouznetsov, P. Druschel, PeerReview (SOSP 2007): the log and
// its signed heads; A. Haeberlen, P. Aditya, R. Rodrigues, P. Druschel, Accountable
// Virtual Machines (OSDI 2010): replay of a whole game. Here the rules are deterministic
// as they are (package world), so that no virtual machine is necessary. Decision 77 says
// what is proven and what is not.
//
// Start with Area (area.go), which records; then Replayer (replay.go) and Proof
// (proof.go).
//
// Invariants:
//   - every change of an Area passes through its methods, or is followed by Changed;
//   - a checkpoint's digest covers everything that bears on the next events;
//   - a proof against a host holds only if that host's key has signed both checkpoints
//     and the chain that connects them: mixed, lost or repeated messages prove nothing.
package regionlog

import "errors"

// Version is that of the rules. Hosts of different versions do not judge each other. It
// is raised with every change of package world that changes what a step does
// (TestRulesVersion notices most of them).
const Version = 15

// Every is how many ticks lie between two checkpoints, at least.
const Every = 20

// Limits of what is taken from others.
const (
	MaxState   = 8 << 20 // bytes of a state
	MaxEntry   = 2 << 20 // bytes of the events of a tick
	MaxWindow  = 4 << 20 // bytes of the events between two checkpoints
	MaxEntries = 256     // between two checkpoints
)

// Errors.
var (
	ErrFormat = errors.New("malformed log")
	// ErrChain is for entries that do not lead from one checkpoint to the other.
	ErrChain = errors.New("these entries are not those of the checkpoint")
	// ErrHonest is for a proof whose events lead to what was signed.
	ErrHonest = errors.New("the events lead to the state that was signed")
	// ErrVersion is for checkpoints of other rules than those of this program.
	ErrVersion = errors.New("signed by a program with other rules")
	// ErrRules is for a state that has other rules than the world.
	ErrRules = errors.New("a state with other rules than those of the world")
	// ErrSignature is for a checkpoint that its key has not signed.
	ErrSignature = errors.New("a checkpoint bears no valid signature")
)
