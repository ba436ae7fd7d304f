package group

import "errors"

// Errors that proposals and reads end with, and reasons why a replica no
// longer leads or is no longer a member.
var (
	// ErrNotLeader: this replica does not lead. Nothing was applied.
	ErrNotLeader = errors.New("this node does not lead the group")
	// ErrUnknown: leadership ended while the proposal was in flight. It may have been
	// applied, may be applied later, or never.
	ErrUnknown = errors.New("leadership was lost meanwhile: it may or may not be saved")
	// ErrBusy: too much is in flight. Nothing was applied.
	ErrBusy = errors.New("the group has too much to do")
	// ErrTooLarge: a write beyond Config.MaxWrite. Nothing was applied.
	ErrTooLarge = errors.New("the write is too large for the group's log")
	// ErrLease: the leader has not heard from a majority for too long.
	ErrLease = errors.New("the majority of the group cannot be reached")
	// ErrDeposed: another node was elected.
	ErrDeposed = errors.New("another node leads the group")
	// ErrTransferred: leadership was transferred.
	ErrTransferred = errors.New("leadership was handed over")
	// ErrHibernating: the group hibernates.
	ErrHibernating = errors.New("the group hibernates")
	// ErrRemoved: the group continues without this node; what the node had was moved to
	// RetiredSpace.
	ErrRemoved = errors.New("this node was removed from the group")
	// ErrSuperseded: the group was recovered without this node; what the node had was
	// moved to SupersededSpace.
	ErrSuperseded = errors.New("the group was recovered without this node")
	// ErrResigned: the owner has ended this replica (Resign); what the node had was moved
	// to RetiredSpace.
	ErrResigned = errors.New("this node has left a group that has lost its majority")
	// ErrCorrupt: what is on the disk is invalid.
	ErrCorrupt = errors.New("damaged group data")
	// ErrInvalidMessage: a member sent what no correct member sends, and this replica
	// cannot continue. The disk is unchanged: a new replica may read it.
	ErrInvalidMessage = errors.New("a member sent an invalid message")
)
