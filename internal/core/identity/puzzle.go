package identity

import (
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/bits"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

const (
	// DefaultDifficulty is asked for in open worlds: about 65,000 keys must be
	// tried for an id, one to two seconds of one core.
	DefaultDifficulty = 16
	// MaxDifficulty is the most that a world may ask for: weeks of one core.
	MaxDifficulty = 40
)

// ErrStopped: Solve was told to stop.
var ErrStopped = errors.New("the search for a key was stopped")

// Difficulty is how hard an id's puzzle was: the number of leading zero bits of
// the hash of the id, which is itself the hash of the key (S/Kademlia 4.1: key
// pairs are made until c1 bits of H(H(key)) are zero). So an id cannot be
// chosen, and each costs 2^c1 key pairs; to verify takes one hash.
func Difficulty(who id.ID) int {
	sum := sha256.Sum256(who[:])
	n := 0
	for _, b := range sum {
		n += bits.LeadingZeros8(b)
		if b != 0 {
			break
		}
	}
	return n
}

// CheckPuzzle verifies that an id solves a puzzle.
func CheckPuzzle(who id.ID, difficulty int) error {
	if d := Difficulty(who); d < difficulty {
		return fmt.Errorf("%w: %s has %d bits, the world asks for %d", ErrPuzzle, who.Short(), d, difficulty)
	}
	return nil
}

// progressEvery is how many keys are tried between two reports.
const progressEvery = 1024

// Solve makes keys from random until one's id solves the puzzle. It reports now
// and then how many were tried (Expected says of how many) and stops when more
// says no; a nil more is never asked.
func Solve(random io.Reader, difficulty int, more func(tried uint64) bool) (ed25519.PrivateKey, error) {
	if difficulty < 0 || difficulty > MaxDifficulty {
		return nil, fmt.Errorf("a puzzle of %d bits: want 0 to %d", difficulty, MaxDifficulty)
	}
	var seed [ed25519.SeedSize]byte
	for tried := uint64(1); ; tried++ {
		if _, err := io.ReadFull(random, seed[:]); err != nil {
			return nil, fmt.Errorf("making a key: %w", err)
		}
		key := ed25519.NewKeyFromSeed(seed[:])
		if Difficulty(id.Of(key.Public().(ed25519.PublicKey))) >= difficulty {
			return key, nil
		}
		if tried%progressEvery == 0 && more != nil && !more(tried) {
			return nil, ErrStopped
		}
	}
}

// Expected is how many keys must be tried on average.
func Expected(difficulty int) uint64 { return 1 << difficulty }
