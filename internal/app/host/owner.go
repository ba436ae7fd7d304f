package host

import (
	"crypto/subtle"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
)

// ownerTime is how long the link for the first operator is valid.
const ownerTime = time.Hour

// ownerCode lets the founder of a world become its operator from another
// machine: a player with this code counts as one at the founder's machine until
// somebody has become operator by it, or it has expired. A nil one admits
// nobody.
type ownerCode struct {
	code  string
	until time.Time

	mu   sync.Mutex
	used bool
}

func newOwnerCode(now time.Time) *ownerCode {
	return &ownerCode{code: "owner-" + newCode(), until: now.Add(ownerTime)}
}

// is reports whether a code is this one, and still valid.
func (o *ownerCode) is(code string, now time.Time) bool {
	if o == nil {
		return false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.used && now.Before(o.until) && subtle.ConstantTimeCompare([]byte(code), []byte(o.code)) == 1
}

// entered is when a player has entered with the code.
func (o *ownerCode) entered(operator bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.used = o.used || operator
}

// operatorFile is in the folder of a world that has an operator, as far as this
// node has seen.
const operatorFile = "operator"

// startOwnerCode makes the code for the first operator, if there may be none yet.
// It is the founder's: other nodes' players do not become operators by it.
func startOwnerCode(dir string, p *peers) *ownerCode {
	if p != nil && p.invites == nil {
		return nil
	}
	if _, err := os.Stat(filepath.Join(dir, operatorFile)); err == nil {
		return nil
	}
	return newOwnerCode(time.Now())
}

// seeOperator is when an operator has entered at this node.
func (h *Host) seeOperator() {
	name := filepath.Join(h.world.Dir, operatorFile)
	if _, err := os.Stat(name); err == nil {
		return
	}
	if err := files.Write(name, nil, 0o600); err != nil {
		h.cfg.Log.Warn("That the world has an operator cannot be written down.", "error", err)
	}
}

// OwnerCode is the code of the one-time link for the first operator; empty: this is
// not the founder's node, or an operator has been here.
func (h *Host) OwnerCode() string {
	if h.owner == nil {
		return ""
	}
	return h.owner.code
}
