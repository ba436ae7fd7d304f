package keyring

import (
	"crypto/ed25519"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/invitation"
)

// maxAdmitted bounds the nodes that are remembered.
const maxAdmitted = 1 << 12

// Admitted is a node that was let into the world.
type Admitted struct {
	Node       id.ID     `json:"node"`
	Invitation id.ID     `json:"invitation,omitzero"` // by which; zero: none was needed
	First      time.Time `json:"first"`
	Last       time.Time `json:"last"` // when it last opened a link or a session
}

// Access is the founder's decisions on a node that runs: who is invited, and what
// was taken back. Handshakes ask it from their own goroutines, and it takes newer
// lists meanwhile.
type Access struct {
	gate    atomic.Pointer[invitation.Gate]
	founder id.ID
	papers  func(pub ed25519.PublicKey, proof []byte) error // what the world asks for besides
	now     func() machine.Time

	mu         sync.Mutex
	nodes      map[id.ID]*Admitted
	statements map[id.ID]*invitation.Statement // of nodes that were let in since the start
	changed    bool
	self, own  id.ID // this node, and the invitation by which it joined
}

// NewAccess returns the access to a world; verifier verifies certificates, or the ids'
// puzzle, and now is the node's clock.
func NewAccess(g *invitation.Gate, founder id.ID, verifier *Verifier, now func() machine.Time) *Access {
	a := &Access{founder: founder, papers: verifier.Admit, now: now, nodes: map[id.ID]*Admitted{}, statements: map[id.ID]*invitation.Statement{}}
	a.gate.Store(g)
	return a
}

// Remember takes the nodes that were let in before.
func (a *Access) Remember(nodes []Admitted) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, n := range nodes[:min(len(nodes), maxAdmitted)] {
		a.nodes[n.Node] = &n
	}
}

// Admit says why the holder of a key is not let in as a node. Where an invitation
// is needed proof is an admission, with an authority it is a certificate.
func (a *Access) Admit(pub ed25519.PublicKey, proof []byte) error {
	if err := a.papers(pub, proof); err != nil {
		return err
	}
	s, err := a.gate.Load().AdmitNode(pub, proof, a.now())
	if err == nil {
		a.note(id.Of(pub), s)
	}
	return err
}

// MayAsk says why the holder of a key is not told what world this is. Its key is
// one for that question alone: nothing is asked of it but the invitation.
func (a *Access) MayAsk(pub ed25519.PublicKey, proof []byte) error {
	if err := identity.CheckKey(pub); err != nil {
		return err
	}
	_, err := a.gate.Load().AdmitNode(pub, proof, a.now())
	return err
}

// note remembers a node that was let in.
func (a *Access) note(who id.ID, s *invitation.Statement) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n := a.nodes[who]
	if n == nil {
		if len(a.nodes) >= maxAdmitted || who == a.founder {
			return
		}
		n = &Admitted{Node: who, First: a.time()}
		a.nodes[who] = n
	}
	if n.Last, a.changed = a.time(), true; s != nil {
		n.Invitation, a.statements[who] = s.ID(), s
	}
}

func (a *Access) time() time.Time { return time.Unix(0, int64(a.now())).UTC().Truncate(time.Second) }

// Nodes are those that were let in, by id.
func (a *Access) Nodes() []Admitted {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []Admitted
	for _, who := range id.Sorted(a.nodes) {
		out = append(out, *a.nodes[who])
	}
	return out
}

// JoinedBy notes by which invitation this node has joined.
func (a *Access) JoinedBy(self, invitation id.ID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.self, a.own = self, invitation
}

// Invitation is the one by which a node was admitted; zero: none, or not known.
func (a *Access) Invitation(node id.ID) id.ID {
	a.mu.Lock()
	defer a.mu.Unlock()
	if node == a.self {
		return a.own
	}
	if n := a.nodes[node]; n != nil {
		return n.Invitation
	}
	return id.ID{}
}

// Changed reports whether Nodes are others than when it was last called.
func (a *Access) Changed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	changed := a.changed
	a.changed = false
	return changed
}

// Bars reports whether a node was removed, or is not invited any more.
func (a *Access) Bars(who id.ID) bool {
	a.mu.Lock()
	s := a.statements[who]
	a.mu.Unlock()
	return !a.gate.Load().Admitted(who, s, a.now())
}

// Visit says why a player may not enter through a node, with the admission that
// the node shows for it. The founder's own node lets in whom it wants.
func (a *Access) Visit(admission []byte, player, through id.ID) error {
	if through == a.founder {
		return nil
	}
	return a.gate.Load().AdmitPlayer(player, admission, a.now())
}

// Check says why an invitation does not permit something now.
func (a *Access) Check(i *invitation.Invitation, needs invitation.Permissions) error {
	return a.gate.Load().Check(i, needs, a.now())
}

// CheckVisit says why nobody may visit the world by the invitation of an admission now.
func (a *Access) CheckVisit(admission []byte) error {
	return a.gate.Load().CheckVisit(admission, a.now())
}

// Admits reports whether an admission is a player's and permits to visit now.
func (a *Access) Admits(player id.ID, admission []byte) bool {
	return a.gate.Load().AdmitPlayer(player, admission, a.now()) == nil
}

// Invited reports whether nodes and players need an invitation.
func (a *Access) Invited() bool { return a.gate.Load().Invited() }

// List is the founder's list in force; nil: none yet.
func (a *Access) List() *invitation.Access { return a.gate.Load().Access() }

// Whitelist reports whether the founder lets in only who is on the whitelist.
func (a *Access) Whitelist() bool {
	l := a.List()
	return l != nil && l.Whitelist
}

// Current implements node.SignedList.
func (a *Access) Current() (version uint64, list []byte) {
	if l := a.List(); l != nil {
		return l.Version, l.Append(nil)
	}
	return 0, nil
}

// Take implements node.SignedList.
func (a *Access) Take(list []byte) (said string, err error) {
	l, err := invitation.DecodeAccess(list)
	for err == nil {
		old := a.gate.Load()
		var fresh *invitation.Gate
		if fresh, err = old.Renew(l); err == nil && a.gate.CompareAndSwap(old, fresh) {
			return fmt.Sprintf("Version %d of the founder's access list is in force: %d invitations revoked, %d nodes removed.", l.Version, len(l.Revoked), len(l.Removed)), nil
		}
	}
	return "", err
}
