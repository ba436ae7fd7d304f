package host

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/game/invitation"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/files"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
)

// Files in a world's folder. A node that runs the world reads accessFile again
// when it has changed, so invitations are managed whether the world is open or not.
const (
	invitesFile = "invitations.json" // those that were made here: secrets
	invitedFile = "invitation"       // the one that this node joined by: a secret
	accessFile  = "access"           // the founder's access list, in hexadecimal digits
	nodesFile   = "nodes.json"       // nodes that were let in
)

// ErrNotFounder: something that only the founder of a world can do.
var ErrNotFounder = errors.New("only the founder's machine can do this")

// Made is an invitation that was made on this machine.
type Made struct {
	Text    string    `json:"invitation"` // without addresses
	Note    string    `json:"note,omitempty"`
	Created time.Time `json:"created"`
	// Shared marks the one that --share hands out.
	Shared bool `json:"shared,omitempty"`

	*invitation.Invitation `json:"-"`
	Revoked                bool `json:"-"`
}

// Invites manages who is invited to a world that this machine has founded.
type Invites struct {
	dir    string
	record *genesis.Record
	key    ed25519.PrivateKey
}

// OpenInvites opens those of a world, whether it is open or not.
func OpenInvites(folder *worldfs.Folder, name string) (*Invites, error) {
	info, err := folder.Info(name)
	if err != nil {
		return nil, err
	}
	if info.Record == "" {
		return nil, fmt.Errorf("%s has never been open to other nodes: start it once with --share", info.Name)
	}
	r, err := genesis.DecodeText(info.Record)
	if err != nil {
		return nil, fmt.Errorf("the record of how %s began: %w", info.Name, err)
	}
	key, err := nodeKey(folder, int(r.Genesis.Difficulty), nil)
	if err != nil {
		return nil, err
	}
	return newInvites(info.Dir, r, key)
}

func newInvites(dir string, r *genesis.Record, key ed25519.PrivateKey) (*Invites, error) {
	if string(key.Public().(ed25519.PublicKey)) != string(r.Founder[:]) {
		return nil, fmt.Errorf("%w: the world was founded by node %s, and this machine has another key", ErrNotFounder, r.FounderID().Short())
	}
	return &Invites{dir, r, key}, nil
}

// Create makes an invitation.
func (v *Invites) Create(terms invitation.Terms, note string) (*Made, error) {
	return v.create(terms, note, false)
}

func (v *Invites) create(terms invitation.Terms, note string, shared bool) (*Made, error) {
	if v.record.Hosting != genesis.HostingInvited {
		return nil, fmt.Errorf("%w: nobody needs an invitation to this world (%s)", ErrUsage, HostingText(v.record))
	}
	i, err := invitation.New(rand.Reader, v.key, v.record.World(), terms)
	if err != nil {
		return nil, err
	}
	all, err := v.List()
	if err != nil {
		return nil, err
	}
	m := &Made{Text: i.Text(), Note: note, Created: time.Now().UTC().Truncate(time.Second), Shared: shared, Invitation: i}
	return m, writeJSON(filepath.Join(v.dir, invitesFile), append(all, m))
}

// List returns the invitations that were made here, oldest first.
func (v *Invites) List() ([]*Made, error) {
	var all []*Made
	if err := readJSON(filepath.Join(v.dir, invitesFile), &all); err != nil {
		return nil, err
	}
	list, err := v.Access()
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		if m == nil {
			return nil, fmt.Errorf("%s: %w: an entry is empty", invitesFile, disk.ErrDamaged)
		}
		if m.Invitation, err = invitation.Parse(m.Text); err != nil {
			return nil, fmt.Errorf("%s: %w: %w", invitesFile, disk.ErrDamaged, err)
		}
		m.Revoked = slices.Contains(list.Revoked, m.ID())
	}
	return all, nil
}

// Shared returns the invitation that --share hands out, which is made if there is
// none that is still good.
func (v *Invites) Shared() (*Made, error) {
	all, err := v.List()
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		if m.Shared && !m.Revoked {
			return m, nil
		}
	}
	return v.create(invitation.Terms{Permits: invitation.Build | invitation.Host}, "made by --share", true)
}

// Access is the founder's list as it is now; never nil.
func (v *Invites) Access() (*invitation.Access, error) {
	l, err := readAccess(v.dir)
	if l == nil {
		l = &invitation.Access{World: v.record.World()}
	}
	return l, err
}

// change signs a new list.
func (v *Invites) change(do func(*invitation.Access)) error {
	l, err := v.Access()
	if err != nil {
		return err
	}
	next := *l
	next.Revoked, next.Removed, next.Kept = slices.Clone(l.Revoked), slices.Clone(l.Removed), slices.Clone(l.Kept)
	do(&next)
	// The time, so that no version is used twice even if the file was lost.
	next.Version = max(l.Version+1, uint64(time.Now().UnixMilli()))
	if err := next.Sign(v.key); err != nil {
		return err
	}
	return files.Write(filepath.Join(v.dir, accessFile), append(hex.AppendEncode(nil, next.Append(nil)), '\n'), 0o600)
}

// SetWhitelist sets whether only listed players may enter.
func (v *Invites) SetWhitelist(on bool) error {
	l, err := v.Access()
	if err != nil || l.Whitelist == on {
		return err
	}
	return v.change(func(l *invitation.Access) { l.Whitelist = on })
}

// Revoke takes an invitation back, by the first digits of its id. Nobody enters or
// joins by it any more. Nodes that host by it are cut off, unless they are to stay.
func (v *Invites) Revoke(digits string, nodesStay bool) (*Made, error) {
	all, err := v.List()
	if err != nil {
		return nil, err
	}
	m, err := only(all, digits, "invitation", func(m *Made) id.ID { return m.ID() })
	if err != nil {
		return nil, err
	}
	nodes, err := v.Nodes()
	if err != nil {
		return nil, err
	}
	return m, v.change(func(l *invitation.Access) {
		l.Revoked = append(l.Revoked, m.ID())
		for _, n := range nodes {
			if nodesStay && n.Invitation == m.ID() && !n.Removed {
				l.Kept = append(l.Kept, n.Node)
			}
		}
	})
}

// Node is a node that was let into a world.
type Node struct {
	keyring.Admitted
	Removed bool `json:"removed,omitempty"`
}

// Nodes returns the nodes that were let in, as far as this machine knows.
func (v *Invites) Nodes() ([]Node, error) {
	known, err := readNodes(v.dir)
	if err != nil {
		return nil, err
	}
	l, err := v.Access()
	if err != nil {
		return nil, err
	}
	var out []Node
	for _, n := range known {
		out = append(out, Node{n, l.HasRemoved(n.Node)})
	}
	return out, nil
}

// Remove cuts a node off for good, by the first digits of its id. The invitation
// that it joined by is revoked, for it could come back by that with another key;
// other nodes that joined by it stay.
func (v *Invites) Remove(digits string) (Node, error) {
	all, err := v.Nodes()
	if err != nil {
		return Node{}, err
	}
	n, err := only(all, digits, "node", func(n Node) id.ID { return n.Node })
	if who, bad := id.Parse(digits); err != nil && bad == nil {
		n.Node, err = who, nil // one that has only been to others
	}
	if err != nil {
		return n, err
	}
	return n, v.change(func(l *invitation.Access) {
		l.Removed = append(l.Removed, n.Node)
		l.Kept = slices.DeleteFunc(l.Kept, func(who id.ID) bool { return who == n.Node })
		if n.Invitation.IsZero() {
			return
		}
		l.Revoked = append(l.Revoked, n.Invitation)
		for _, o := range all {
			if o.Invitation == n.Invitation && o.Node != n.Node && !o.Removed {
				l.Kept = append(l.Kept, o.Node)
			}
		}
	})
}

// only finds the one whose id begins with these digits.
func only[T any](all []T, digits, what string, of func(T) id.ID) (found T, err error) {
	n := 0
	for _, v := range all {
		if digits != "" && strings.HasPrefix(of(v).String(), strings.ToLower(digits)) {
			found = v
			n++
		}
	}
	switch n {
	case 0:
		return found, fmt.Errorf("%w: no %s of this world has an id that begins with %q", worldfs.ErrNone, what, digits)
	case 1:
		return found, nil
	}
	return found, fmt.Errorf("%w: the ids of %d begin with %q: give more digits", ErrUsage, n, digits)
}

// readAccess reads the founder's list; nil: there is none yet.
func readAccess(dir string) (*invitation.Access, error) {
	b, err := readPaper(filepath.Join(dir, accessFile))
	if b == nil || err != nil {
		return nil, err
	}
	raw, err := hex.DecodeString(strings.TrimSpace(string(b)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", accessFile, disk.ErrDamaged, err)
	}
	l, err := invitation.DecodeAccess(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", accessFile, disk.ErrDamaged, err)
	}
	return l, nil
}

func readNodes(dir string) (out []keyring.Admitted, err error) {
	err = readJSON(filepath.Join(dir, nodesFile), &out)
	return out, err
}

// readJSON reads a file, if it is there.
func readJSON(name string, v any) error {
	b, err := readPaper(name)
	if b == nil || err != nil {
		return err
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: %w: %w", filepath.Base(name), disk.ErrDamaged, err)
	}
	return nil
}

// maxPaper bounds the files about who may host or visit a world.
const maxPaper = 4 << 20

// readPaper reads such a file; nil: there is none.
func readPaper(name string) ([]byte, error) {
	b, err := files.ReadSmall(name, maxPaper)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, files.ErrKind):
		return nil, fmt.Errorf("%w: %w", disk.ErrDamaged, err)
	case err != nil:
		return nil, err
	}
	return b, nil // not nil: an empty one is damaged
}

func writeJSON(name string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return files.Write(name, append(b, '\n'), 0o600)
}

// HostingText says which nodes may host a world.
func HostingText(r *genesis.Record) string {
	switch {
	case r.Genesis.Verified():
		return "its authority decides which nodes host it"
	case r.Hosting == genesis.HostingInvited:
		return "nodes that its founder has invited may host it"
	case r.Hosting == genesis.HostingOpen:
		return "any node may host it"
	}
	return "it was made before there were invitations, and any node may host it"
}

// RemovedText tells a person what removing a node has done.
func (n Node) RemovedText() string {
	s := fmt.Sprintf("Node %s was removed.", n.Node.Short())
	if !n.Invitation.IsZero() {
		s += fmt.Sprintf(" The invitation %s, by which it joined, is revoked: who has its link needs a new one.", n.Invitation.Short())
	}
	return s
}
