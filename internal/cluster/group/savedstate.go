package group

import (
	"fmt"

	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
)

// SavedState is the state of a replica as its own space has it, for tools that read a
// store without running the replica.
type SavedState struct {
	Gen                  Gen
	Self                 uint64
	Removed              bool // the group continues without it
	Applied, AppliedTerm uint64
	Members              []Member
}

// ReadSavedState reads the records of a replica's own space (OwnSpace).
func ReadSavedState(kvs []machine.KV) (SavedState, error) {
	for _, kv := range kvs {
		if string(kv.Key) == "m" {
			s, err := decodeState(kv.Value)
			return SavedState{s.Gen, s.Self, s.Removed, s.Applied, s.AppliedTerm, s.Members}, err
		}
	}
	return SavedState{}, fmt.Errorf("no state of a group: %w", ErrCorrupt)
}

// ExamineRecord decodes a record of a replica's own space, for tools that check a
// store without running the replica.
func ExamineRecord(key, value []byte) (err error) {
	switch k := string(key); k {
	case "m":
		_, err = decodeState(value)
	case "h":
		_, err = decodeHard(value)
	default:
		_, err = decodeEntry(k, value)
	}
	return err
}
