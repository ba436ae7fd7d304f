package host

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/game/packlist"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/packfolder"
)

// Nodes get the list of a world's packs and the packs from each other as files
// (transport.AskFile): the list by the name of zeros, a pack by its hash. Nodes with
// different lists are of different worlds to each other (packlist.List.Network).

// ErrNewPacks: the founder has given the world other packs than this node began with.
var ErrNewPacks = errors.New("the founder has given the world other content packs")

// errPacks: what a node says of its packs is wrong.
var errPacks = errors.New("the node does not give the content packs of its world")

// packTime bounds how long a list or a pack may take.
const packTime = time.Minute

// packSource is a node that is asked for packs.
type packSource struct {
	conn  func() (net.PacketConn, error)
	key   ed25519.PrivateKey
	proof []byte
	at    netip.AddrPort
}

func (s packSource) file(ctx context.Context, name transport.FileName) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, packTime)
	defer cancel()
	conn, err := s.conn()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	return transport.AskFile(ctx, conn, s.key, s.at, s.proof, name)
}

// list asks for the list of a node that says to be of a network.
func (s packSource) list(ctx context.Context, r *genesis.Record, network id.ID) (*packlist.List, error) {
	if network == r.World() {
		if r.Packs != (packlist.Hash{}) {
			return nil, fmt.Errorf("%w: it has none, and the world was made with some", errPacks)
		}
		return nil, nil
	}
	b, err := s.file(ctx, transport.FileName{})
	if err != nil {
		return nil, err
	}
	l, err := packlist.Decode(b, r.World(), r.Founder)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errPacks, err)
	case l.Network(r.World()) != network, l.Version == 1 && r.Packs != (packlist.Hash{}) && l.Digest() != r.Packs:
		return nil, fmt.Errorf("%w: its list is another one than it says", errPacks)
	}
	return l, nil
}

// fetch brings the packs of a list that are missing or damaged into a data folder.
func (s packSource) fetch(ctx context.Context, l *packlist.List, to packfolder.Folder) error {
	if l == nil {
		return nil
	}
	for _, h := range l.Packs {
		if _, err := to.Get(h); err == nil {
			continue
		}
		b, err := s.file(ctx, h)
		if err != nil {
			return fmt.Errorf("the content pack %x from the node at %s: %w", h[:4], s.at, err)
		}
		p, err := packfolder.Read(b, h)
		if err != nil {
			return fmt.Errorf("%w: what the node at %s sends: %w", errPacks, s.at, err)
		}
		if _, err := to.Put(p); err != nil {
			return err
		}
	}
	return nil
}

// newer reports whether a list is to take the place of another one.
func newer(l, than *packlist.List) bool { return l != nil && (than == nil || l.Version > than.Version) }

// takePacks keeps a newer list of a world that is open.
func takePacks(w *worldfs.World, l *packlist.List) error {
	own, err := PackList(&w.Meta)
	if err != nil || !newer(l, own) {
		return err
	}
	w.Packs = hex.EncodeToString(l.Append(nil))
	return w.Save()
}

// packExchange gives other nodes the content packs of the world, and looks whether some
// have newer ones.
type packExchange struct {
	cfg       *Config
	folder    packfolder.Folder
	world     *worldfs.World
	peers     *peers
	list      *packlist.List      // nil: the base pack alone
	strangers chan netip.AddrPort // nodes that are of another network
	outdated  chan<- error        // is told once that the world has newer packs
	stop      <-chan struct{}
}

// giveFile is transport.NetConfig.Files.
func (x *packExchange) giveFile(name transport.FileName) []byte {
	switch {
	case x.list == nil:
		return nil
	case name == (transport.FileName{}):
		return x.list.Append(nil)
	case !slices.Contains(x.list.Packs, name):
		return nil
	}
	b, err := x.folder.Zip(name)
	if err != nil {
		return nil
	}
	return b
}

// strangersEvery is how often a node of another network is looked at.
const strangersEvery = 10 * time.Second

// meetStranger is transport.NetConfig.Stranger.
func (x *packExchange) meetStranger(at netip.AddrPort) {
	select {
	case x.strangers <- at:
	default: // others are looked at
	}
}

// watch looks whether nodes that are of another network have newer packs of this world.
func (x *packExchange) watch() {
	ctx, cancel := runningUntil(x.stop)
	defer cancel()
	for {
		var at netip.AddrPort
		select {
		case at = <-x.strangers:
		case <-x.stop:
			return
		}
		if err := x.compare(ctx, at); errors.Is(err, ErrNewPacks) {
			x.outdated <- err
			return
		} else if err != nil {
			x.cfg.Log.Warn("A node was refused that has other content packs, or is of another world.", "addr", at, "error", err)
		}
		select {
		case <-time.After(strangersEvery):
		case <-x.stop:
			return
		}
	}
}

// compare asks a node for its packs. ErrNewPacks says that they are newer than these, and
// are here now.
func (x *packExchange) compare(ctx context.Context, at netip.AddrPort) error {
	r := x.peers.record
	conn, err := x.cfg.askPort()
	if err != nil {
		return err
	}
	defer conn.Close()
	asking, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	a, err := transport.Ask(asking, conn, x.peers.key, at, x.peers.proof)
	if err != nil {
		return err
	}
	if theirs, err := genesis.Decode(a.About); err != nil || theirs.World() != r.World() {
		return errors.New("it is of another world")
	}
	from := packSource{x.cfg.askPort, x.peers.key, x.peers.proof, at}
	l, err := from.list(ctx, r, a.World)
	switch {
	case err != nil:
		return err
	case !newer(l, x.list):
		return errors.New("it has older content packs of this world: it has to be started again")
	}
	if err := from.fetch(ctx, l, x.folder); err != nil {
		return err
	}
	if err := takePacks(x.world, l); err != nil {
		return err
	}
	return fmt.Errorf("%w (change %d). This node has them now, and hosts the world with them once it is started again", ErrNewPacks, l.Version)
}
