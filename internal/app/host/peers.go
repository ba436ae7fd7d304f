package host

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/evidence"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/records"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/game/invitation"
	"github.com/voxelpopuli/voxelpopuli/internal/game/packlist"
	"github.com/voxelpopuli/voxelpopuli/internal/game/regionlog"
	"github.com/voxelpopuli/voxelpopuli/internal/net/codec"
	"github.com/voxelpopuli/voxelpopuli/internal/net/nat/traversal"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/socket"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
	"github.com/voxelpopuli/voxelpopuli/internal/store/packfolder"
)

// peers is what a host has besides its world if other nodes may host it too.
type peers struct {
	key    ed25519.PrivateKey
	record *genesis.Record
	known  []machine.Peer // to join by
	packs  *packlist.List // of the world, with all of them in the data folder; nil: the base pack alone
	seen   netip.Addr     // how this machine looks to the node that was asked
	at     netip.AddrPort // how others reach this node, once that is known
	socket *socket.Socket

	verifier    *keyring.Verifier
	access      *keyring.Access
	invites     *Invites               // nil: this machine is not the founder's
	invitation  *invitation.Invitation // nil: none, or this node needs none
	certificate *identity.Certificate  // nil: none
	proof       []byte                 // what other nodes are shown: the certificate or the admission
	ground      *evidence.Ground
	codec       *codec.Codec
}

// askTime bounds how long one node may take to say what world it is of.
const askTime = 10 * time.Second

// meet asks the nodes of Config.Join what world they are of. The first that
// answers says; those who say something else are left out.
func (c Config) meet(ctx context.Context) (*peers, error) {
	pub, key, err := ed25519.GenerateKey(rand.Reader) // the node's own depends on the world
	if err != nil {
		return nil, err
	}
	p := &peers{}
	var proof []byte
	if c.Invitation != nil {
		proof = c.Invitation.AdmitNode(pub)
	}
	var failed []error
	for _, addr := range c.Join {
		a, err := c.askOne(ctx, key, addr, proof)
		if err == nil && p.record != nil && a.record.World() != p.record.World() {
			err = fmt.Errorf("the node at %s is of another world (%q) than the one before (%q)", addr, a.record.Name, p.record.Name)
		}
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if p.record == nil || newer(a.packs, p.packs) {
			p.packs = a.packs
		}
		p.record, p.seen = a.record, a.seen
		p.known = append(p.known, a.known...)
	}
	if p.record == nil {
		return nil, fmt.Errorf("%w: %w", ErrNoNode, errors.Join(failed...))
	}
	return p, nil
}

func (c Config) askOne(ctx context.Context, key ed25519.PrivateKey, addr string, proof []byte) (*peers, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	at, err := resolve(ctx, addr)
	if err != nil {
		return nil, err
	}
	conn, err := c.askPort()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	a, err := transport.Ask(ctx, conn, key, at, proof)
	if err != nil {
		return nil, err
	}
	r, err := genesis.Decode(a.About)
	if err != nil {
		return nil, fmt.Errorf("the node at %s: %w", addr, err)
	}
	if i := c.Invitation; i != nil && (r.World() != i.World || !i.SignedBy(r.Founder)) {
		return nil, fmt.Errorf("the node at %s is of another world (%q) than the invitation", addr, r.Name)
	}
	from := packSource{c.askPort, key, proof, at}
	packs, err := from.list(ctx, r, a.World)
	if err == nil {
		err = from.fetch(context.WithoutCancel(ctx), packs, packfolder.In(c.Data))
	}
	if err != nil {
		return nil, fmt.Errorf("the node at %s: %w", addr, err)
	}
	return &peers{record: r, packs: packs, known: []machine.Peer{a.Peer}, seen: a.Seen.Addr()}, nil
}

// resolve reads HOST or HOST:PORT.
func resolve(ctx context.Context, addr string) (netip.AddrPort, error) {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		addr = net.JoinHostPort(strings.Trim(addr, "[]"), fmt.Sprint(DefaultPort))
	}
	a, err := (&net.Resolver{}).LookupNetIP(ctx, "ip", hostOf(addr))
	if err != nil || len(a) == 0 {
		return netip.AddrPort{}, fmt.Errorf("%w: the address %q: %w", ErrUsage, addr, err)
	}
	port, err := net.DefaultResolver.LookupPort(ctx, "udp", addr[strings.LastIndexByte(addr, ':')+1:])
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("%w: the address %q: %w", ErrUsage, addr, err)
	}
	return netip.AddrPortFrom(a[0].Unmap(), uint16(port)), nil
}

func hostOf(addr string) string {
	name, _, _ := net.SplitHostPort(addr)
	return name
}

// openJoined opens the folder of the world that p is of, making it if there is
// none.
func (c Config) openJoined(folder *worldfs.Folder, p *peers) (*worldfs.World, error) {
	r := p.record
	name, ok, err := folder.OfWorld(r.World())
	if err != nil {
		return nil, err
	}
	if ok {
		w, err := folder.Open(name)
		if err != nil {
			return nil, err
		}
		if err := takePacks(w, p.packs); err != nil {
			return nil, errors.Join(err, w.Close())
		}
		return w, nil
	}
	m := worldfs.Meta{
		ID: r.World(), Genesis: r.Genesis, Name: c.World, Seed: r.Seed, Mode: Modes[r.Mode],
		Epoch: time.Unix(0, int64(r.Epoch)).UTC(), Spawn: r.Spawn, Record: fmt.Sprintf("%x", r.Append(nil)), Signed: true, SignedTime: true,
		Rules: worldfs.Rules{Protect: r.Protect, Whitelist: r.Whitelist, Peaceful: r.Peaceful, Drops: r.Drops, MaxPlayers: int(r.MaxPlayers), Hosting: hostingName(r.Hosting)},
	}
	if p.packs != nil {
		m.Packs = hex.EncodeToString(p.packs.Append(nil))
	}
	if c.World == DefaultWorld {
		m.Name = r.Name
		if worldfs.CheckName(m.Name) != nil {
			m.Name = "world " + m.ID.Short()
		}
		if _, err := folder.Info(m.Name); err == nil {
			m.Name = m.Name[:min(len(m.Name), 20)] + " " + m.ID.Short()
		}
	}
	if _, err := folder.Create(m); err != nil {
		return nil, err
	}
	return folder.Open(m.Name)
}

// sharer readies a world to be hosted by several nodes.
type sharer struct {
	cfg    *Config
	folder *worldfs.Folder
	world  *worldfs.World
	packs  *packlist.List // of the world
	now    func() machine.Time
}

// share readies the node's key, the record of how the world begins, who is admitted,
// and the port.
func (s *sharer) share(p *peers) error {
	m := &s.world.Meta
	difficulty := int(m.Genesis.Difficulty)
	if m.Record == "" && m.Genesis == (identity.Genesis{}) {
		difficulty = identity.DefaultDifficulty
	}
	var err error
	if p.key, err = nodeKey(s.folder, difficulty, s.cfg.Searching); err != nil {
		return err
	}
	if m.Record == "" { // its storage begins now, or it was made when worlds did not have one
		first := *m
		if !m.Genesis.Verified() && m.Rules.Hosting == "" {
			first.Rules.Hosting = hostingInvited // no other node has ever hosted it
		}
		first.Genesis.Difficulty = uint8(difficulty)
		if err := signGenesis(&first, p.key, s.now()); err != nil {
			return err
		}
		if err := s.world.Begin(first); err != nil {
			return err
		}
		if s.packs, err = PackList(m); err != nil { // it is signed now
			return err
		}
	}
	if p.record, err = genesis.DecodeText(m.Record); err != nil {
		return fmt.Errorf("the record of how %s began: %w", m.Name, err)
	}
	if err := s.admit(p); err != nil {
		return err
	}
	if err := s.admitInvited(p); err != nil {
		return err
	}
	if err := s.widen(p); err != nil {
		return err
	}
	if p.socket, err = s.cfg.nodePort(); err != nil {
		return listenError(s.cfg.Nodes, err)
	}
	p.ground = evidence.NewGround(p.record)
	p.codec = p.ground.Codec()
	return nil
}

// local is where this machine believes that others reach the node.
func (p *peers) local() netip.AddrPort {
	at := p.socket.Addr()
	if at.Addr().IsUnspecified() {
		ip := p.seen
		if !ownAddress(ip) { // but that of a router, which may keep the port as well
			ip = outward()
		}
		at = netip.AddrPortFrom(ip, at.Port())
	}
	return at
}

func (p *peers) public() ed25519.PublicKey { return p.key.Public().(ed25519.PublicKey) }
func (p *peers) id() id.ID                 { return id.Of(p.public()) }

// outward is an address of this machine in the network that it is in: of those of
// IPv4, which nodes behind routers need for their home relays, the one that is of use
// from farthest away; without any the same of IPv6.
func outward() netip.Addr {
	var all []netip.Addr
	addrs, _ := net.InterfaceAddrs()
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok {
			if ip, ok := netip.AddrFromSlice(n.IP); ok {
				all = append(all, ip.Unmap())
			}
		}
	}
	return widest(all)
}

// widest is outward's choice.
func widest(all []netip.Addr) netip.Addr {
	worth := func(ip netip.Addr) int {
		if ip.Is4() && !ip.IsLoopback() {
			return 10 + traversal.Scope(ip)
		}
		return traversal.Scope(ip)
	}
	best := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	for _, ip := range all {
		if !ip.IsLinkLocalUnicast() && worth(ip) > worth(best) {
			best = ip
		}
	}
	return best
}

// network is the node's part of it.
func (h *Host) network() (*node.Net, error) {
	p := h.peers
	stored, err := h.world.Store.Spaces()
	if err != nil {
		return nil, err
	}
	return &node.Net{
		Config: part.Config{
			World: p.record.World(), Known: p.known, Founder: p.record.FounderID(), Stored: stored,
			Sign:     func(r *kademlia.Record) { records.Sign(r, p.key) },
			Verify:   records.Verify,
			Refusals: func(nodes []machine.Peer) machine.Work { return refusals(nodes) },
			CheckPass: func(pass *identity.Pass, player id.ID, name string, gateway id.ID) error {
				if pass == nil {
					return fmt.Errorf("%w: there is none", identity.ErrPass)
				}
				return pass.Check(player, gateway, p.record.World(), name, time.Unix(0, int64(h.clock.Now())).Unix())
			},
			Note: func(text string) { h.cfg.Log.Warn(text) },

			MaxHosted: h.cfg.Capacity.Regions, MaxPlayers: h.cfg.Capacity.Players, Full: h.load.full,
			CopiesDisk: h.cfg.Capacity.CopiesDisk << 20, CopiesUpload: h.cfg.Capacity.CopiesUpload << 10,
		},
		Signer: copySigner{p.key}, Log: h.logKeys(), Verified: h.verified(), Access: p.access,
	}, nil
}

// logKeys are what regions' logs are signed with.
func (h *Host) logKeys() *accountability.LogKeys {
	if h.cfg.Faults.Unchecked {
		return nil
	}
	key := h.peers.key
	return &accountability.LogKeys{
		Key:       [32]byte(key.Public().(ed25519.PublicKey)),
		Sign:      func(text []byte) [64]byte { return [64]byte(ed25519.Sign(key, text)) },
		Node:      func(key [32]byte) id.ID { return id.Of(key[:]) },
		Convicted: h.evidence.convicted(), Proven: func(e regionlog.Evidence) { h.evidence.take(e) },
	}
}

// links is the transport's part.
func (h *Host) links() *transport.NetConfig {
	p := h.peers
	return &transport.NetConfig{
		Key: p.key, Socket: p.socket, World: h.packs.list.Network(p.record.World()), Codec: p.codec, Proof: p.proof,
		Admit: p.access.Admit, Open: p.anyNode(), About: p.record.Append(nil), MayAsk: p.mayAsk(),
		Files: h.packs.giveFile, Stranger: h.packs.meetStranger,
	}
}

// anyNode reports whether any node may host the world.
func (p *peers) anyNode() bool { return !p.record.Genesis.Verified() && !p.access.Invited() }

// mayAsk decides who is told how the world begins.
func (p *peers) mayAsk() func(ed25519.PublicKey, []byte) error {
	if !p.access.Invited() {
		return nil
	}
	return p.access.MayAsk
}

// NodeAddr is the address that other nodes join by; not valid if there can be
// none: the node is the only one, or cannot be reached from outside.
func (h *Host) NodeAddr() netip.AddrPort {
	if h.peers == nil {
		return netip.AddrPort{}
	}
	return h.peers.at
}

// sent is how many bytes other nodes were sent.
func (p *peers) sent() (n uint64) {
	for _, class := range p.socket.Stats().Out {
		n += class.Bytes
	}
	return n
}

func (p *peers) close() error {
	if p == nil || p.socket == nil {
		return nil
	}
	if err := p.socket.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}
