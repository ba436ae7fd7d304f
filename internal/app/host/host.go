package host

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
	"github.com/voxelpopuli/voxelpopuli/internal/game/pack"
	"github.com/voxelpopuli/voxelpopuli/internal/game/packlist"
	"github.com/voxelpopuli/voxelpopuli/internal/game/region"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world/terrain"
	"github.com/voxelpopuli/voxelpopuli/internal/net/clock"
	"github.com/voxelpopuli/voxelpopuli/internal/net/nat"
	"github.com/voxelpopuli/voxelpopuli/internal/net/nat/traversal"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
	"github.com/voxelpopuli/voxelpopuli/internal/store/disk/worldfs"
	"github.com/voxelpopuli/voxelpopuli/internal/store/keyring"
	"github.com/voxelpopuli/voxelpopuli/internal/store/packfolder"
)

// goodbye is how long clients have to hear that the world restarts.
const goodbye = 3 * time.Second

// Host is a world that runs.
type Host struct {
	cfg       Config
	folder    *worldfs.Folder
	world     *worldfs.World
	content   *pack.Content // the tables of the world's packs
	packs     *packExchange // nil: this is the world's only node
	outdated  chan error    // says once that the world has newer packs
	loop      *transport.Loop
	node      *node.Node
	client    *client.Node
	clock     *clock.Clock
	sync      *clock.Sync      // nil: the system's clock is right
	peers     *peers           // nil: this is the world's only node
	traversal *traversal.Agent // nil: the same
	paths     *nat.Paths
	circuits  *nat.Circuits
	load      *load // nil: this is the world's only node
	owner     *ownerCode

	papers    papers
	listeners listeners // of players
	entrances entrances
	router    *routerPorts
	mapped    netip.AddrPort // where the router has opened the port for nodes; not valid: it has not
	local     keyring.LocalSecret
	stop      chan struct{} // ends what runs beside
	failed    chan struct{} // the node or its disk cannot go on
	beside    sync.WaitGroup

	revoking *revoking       // nil: nodes are revoked elsewhere
	evidence *evidenceKeeper // nil: this is the world's only node

	ended   error // why the node ends by itself; set before failed is closed
	closing sync.Once
	err     error
}

// Start opens the world and runs it. The caller must Close it.
func Start(cfg Config) (*Host, error) {
	cfg = cfg.withDefaults()
	if cfg.Authority != "" && cfg.Nodes == "" {
		return nil, fmt.Errorf("%w: no other node reaches this one, so that its authority has nobody to revoke: start without --authority", ErrUsage)
	}
	if cfg.Map != "" && !slices.Contains(Maps, cfg.Map) {
		return nil, fmt.Errorf("%w: --map %s: want one of %s", ErrUsage, cfg.Map, strings.Join(Maps, ", "))
	}
	if cfg.Revocations != "" && cfg.Nodes == "" {
		return nil, fmt.Errorf("%w: no other node reaches this one, so that the list in %s would shut nobody out: start without --revocations", ErrUsage, cfg.Revocations)
	}
	h := &Host{cfg: cfg, stop: make(chan struct{}), failed: make(chan struct{}), outdated: make(chan error, 1), clock: cfg.Faults.clock()}
	h.router = newRouterPorts(&h.cfg, &h.beside, h.stop)
	h.listeners = listeners{cfg: &h.cfg, router: h.router}
	h.entrances.known = h.otherEntries
	p, err := h.meet()
	if err != nil {
		return nil, err
	}
	if h.folder, h.world, err = cfg.openWorld(p); err != nil {
		return nil, err
	}
	var packs *packlist.List
	if h.content, packs, err = UsePacks(h.folder, &h.world.Meta); err != nil {
		return nil, errors.Join(err, h.world.Close())
	}
	if err := errors.Join(cfg.sameWorld(&h.world.Meta), h.checkWorld()); err != nil {
		return nil, errors.Join(err, h.world.Close())
	}
	if cfg.Nodes != "" {
		if p == nil {
			p = &peers{}
		}
		s := sharer{cfg: &h.cfg, folder: h.folder, world: h.world, packs: packs, now: h.clock.Now}
		if err := s.share(p); err != nil {
			return nil, errors.Join(err, h.world.Close())
		}
		h.peers = p
		h.packs = &packExchange{
			cfg: &h.cfg, folder: packfolder.In(h.folder.Dir()), world: h.world, peers: p, list: s.packs,
			strangers: make(chan netip.AddrPort, 1), outdated: h.outdated, stop: h.stop,
		}
		if err := h.openAuthority(h.peers.record.World()); err != nil {
			return nil, errors.Join(err, h.peers.close(), h.world.Close())
		}
		h.evidence = newEvidenceKeeper(h.world.Dir, h.peers, h.clock.Now, cfg.Log)
		if h.revoking != nil {
			h.evidence.proven = h.revoking.proven
		}
	}
	h.papers = papers{
		cfg: &h.cfg, dir: h.world.Dir, peers: h.peers, onLoop: h.onLoop, node: func() *node.Node { return h.node },
		show: func(ctx context.Context, b []byte) error { return h.loop.Show(ctx, b) }, revoke: h.Revoke, stop: h.stop,
	}
	if len(cfg.NTP) > 0 {
		h.sync = clock.NewSync(h.clock, clock.Config{Servers: cfg.NTP, Log: cfg.Log})
		h.beside.Go(h.keepTime)
	}
	if err := h.startNode(); err != nil {
		close(h.stop)
		h.beside.Wait()
		return nil, errors.Join(err, h.peers.close(), h.world.Close())
	}
	h.beside.Go(h.watch)
	if h.peers != nil {
		h.beside.Go(h.packs.watch)
		h.beside.Go(func() { h.evidence.run(h.stop) })
	}
	h.owner = startOwnerCode(h.world.Dir, h.peers)
	if h.peers != nil {
		h.beside.Go(h.papers.keepNodes)
	}
	if h.peers != nil && h.peers.invites != nil {
		h.beside.Go(func() { h.papers.watch(filepath.Join(h.world.Dir, accessFile), h.papers.loadAccess) })
	}
	if cfg.Revocations != "" {
		h.beside.Go(func() { h.papers.watch(cfg.Revocations, h.papers.loadRevocations) })
	}
	if h.revoking != nil {
		if err := h.revoking.current(); err != nil {
			return nil, errors.Join(err, h.Close(context.Background()))
		}
	}
	if h.peers != nil && h.peers.record.Genesis.Verified() && cfg.Certificate != "" {
		h.beside.Go(func() { h.papers.watch(cfg.Certificate, h.papers.loadCertificate) })
	}
	if err := h.listen(); err != nil {
		return nil, errors.Join(err, h.Close(context.Background()))
	}
	if cfg.BackupEvery > 0 {
		h.beside.Go(func() { h.backups(h.stop) })
	}
	return h, nil
}

func (h *Host) startNode() (err error) {
	m, cfg := &h.world.Meta, h.cfg
	players := cfg.MaxPlayers
	if players == 0 {
		players = m.Rules.MaxPlayers
	}
	seed := m.SeedNumber()
	terrain := terrain.New(seed)
	nodeConfig := node.Config{
		Lobby: lobby.Config{
			Name: m.Name, Seed: m.Seed, Epoch: m.EpochTime(), Day: world.DayLength, Spawn: m.Spawn, Mode: modeNumber(m.Mode),
			MaxPlayers: players, Whitelist: h.whitelist, Stored: h.stored(), Passes: h.peers != nil,
		},
		Region: region.Config{
			Epoch: m.EpochTime(), Terrain: terrain, Signed: h.peers != nil,
			Rules: world.AreaConfig{Seed: seed, Spawn: m.Spawn, Protect: m.Rules.Protect, Mobs: DefaultMobs, Peaceful: m.Rules.Peaceful, Drops: m.Rules.Drops, Static: h.stored(),
				OwnItems: h.stored() && world.Mode(modeNumber(m.Mode)) == world.Survival},
		},
		Clock: stopwatch(), RegionEnv: cfg.Faults.RegionEnv,
	}
	if nodeConfig.Decisions, nodeConfig.Sign, err = h.roles(); err != nil {
		return err
	}
	var links *transport.NetConfig
	if h.peers != nil {
		h.load = &load{limits: cfg.Capacity, sent: h.peers.sent}
		if nodeConfig.Net, err = h.network(); err != nil {
			return err
		}
		h.beside.Go(func() { h.load.run(h.stop) })
		links = h.links()
	}
	var self id.ID
	create := func(env machine.Env) *node.Node {
		h.node = node.New(nodeConfig, env)
		return h.node
	}
	makeNode := func(env machine.Env) machine.Machine {
		if around := h.cfg.Faults.Node; around != nil {
			return around(env, create)
		}
		return create(env)
	}
	if h.peers == nil {
		h.loop = transport.Start(transport.Config{Disk: h.cfg.Faults.store(h.world.Store), Log: cfg.Log, Clock: h.clock.Now, Machine: makeNode})
	} else if err := h.startTraversal(links, nodeConfig.Net, makeNode); err != nil {
		return err
	} else {
		self = h.peers.id()
	}
	var packed func(*world.Column) *wire.Column
	if h.peers != nil {
		packed = h.peers.codec.Packed
	}
	h.client = client.NewNode(client.Config{
		Node: h.loop, World: m.ID, Self: self, Signed: h.peers != nil, Spawn: m.Spawn, Epoch: m.EpochTime(), Terrain: terrain, Pack: packed, Strained: h.loop.Strained, Hosts: h.hosts, Invite: h.invite, Command: h.commands().command, OperatorEntered: h.seeOperator, Log: cfg.Log,
		Info: wire.WorldInfo{Name: m.Name, Seed: m.Seed, Mode: modeNumber(m.Mode), Day: world.DayLength},
	})
	return nil
}

// commands are those of operators in the chat that concern nodes.
func (h *Host) commands() operatorCommands {
	return operatorCommands{onLoop: h.onLoop, node: func() *node.Node { return h.node }, peers: h.peers, loadAccess: h.papers.loadAccess}
}

// meet asks the nodes that the world is to be joined by.
func (h *Host) meet() (*peers, error) {
	if len(h.cfg.Join) == 0 {
		return nil, nil
	}
	if h.cfg.Nodes == "" {
		return nil, fmt.Errorf("%w: to join other nodes this one needs a port for them", ErrUsage)
	}
	return h.cfg.meet(context.Background())
}

// stopwatch is time since now that never goes back.
func stopwatch() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// running is a context that ends when the host is closed.
func (h *Host) running() (context.Context, context.CancelFunc) { return runningUntil(h.stop) }

// runningUntil is a context that ends when stop is closed.
func runningUntil(stop <-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		select {
		case <-stop:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// onLoop lets the node do something between two of its handlers, and waits for it.
func (h *Host) onLoop(do func() error) (err error) {
	ctx, cancel := h.running()
	defer cancel()
	if called := h.loop.Call(ctx, func() { err = do() }); called != nil {
		return called
	}
	return err
}

// keepTime keeps the node's clock right.
func (h *Host) keepTime() {
	ctx, cancel := h.running()
	defer cancel()
	h.sync.Run(ctx)
}

// Client is where sessions in this process begin.
func (h *Host) Client() *client.Node { return h.client }

// World is the world's meta.json.
func (h *Host) World() worldfs.Meta { return h.world.Meta }

// Dir is the world's folder.
func (h *Host) Dir() string { return h.world.Dir }

// Stats reads the node's figures.
func (h *Host) Stats(ctx context.Context) (s node.Stats, err error) {
	err = h.loop.Call(ctx, func() { s = h.node.Stats() })
	return s, err
}

// Failed is closed when the world can run no more; Close then says why.
func (h *Host) Failed() <-chan struct{} { return h.failed }

// watch waits for the node or its disk to fail.
func (h *Host) watch() {
	select {
	case <-h.loop.Done():
	case <-h.world.Store.Failed():
	case h.ended = <-h.outdated:
		h.cfg.Log.Error("This node ends.", "error", h.ended)
	case <-h.stop:
		return
	}
	close(h.failed)
}

// Close saves everything and ends the world. Sessions are told to come back
// later. If ctx ends before all is written, what was acknowledged is on disk
// all the same.
func (h *Host) Close(ctx context.Context) error {
	h.closing.Do(func() { h.err = h.close(ctx) })
	return h.err
}

func (h *Host) close(ctx context.Context) error {
	close(h.stop)
	within(besideTime, h.beside.Wait)
	gone := h.listeners.close(ctx)
	saved := make(chan error, 1)
	err := h.loop.Call(ctx, func() { h.node.Shutdown(func(err error) { saved <- err }) })
	if err == nil {
		select {
		case err = <-saved:
		case <-h.loop.Done():
		case <-ctx.Done():
			err = fmt.Errorf("not everything was written in time: %w", ctx.Err())
		}
	}
	var stopped error
	if !within(diskTime, func() { stopped = h.loop.Stop(); h.beside.Wait() }) {
		// It still uses the world's files. What was acknowledged is in them.
		return errors.Join(err, gone, errors.New("the disk does not answer, or a backup is still being written: it was not waited for"))
	}
	if stopped != nil {
		err = stopped
	}
	return errors.Join(err, h.ended, gone, h.closePaths(), h.peers.close(), h.world.Close())
}

const (
	// besideTime is how long what runs beside the node may take to end before the node
	// is shut down all the same: a backup may take longer.
	besideTime = time.Second
	// diskTime is how long it and the jobs of the disk may take after that.
	diskTime = 3 * time.Second
)

// within reports whether something ends in time.
func within(d time.Duration, do func()) bool {
	done := make(chan struct{})
	go func() { do(); close(done) }()
	select {
	case <-done:
		return true
	case <-time.After(d):
		return false
	}
}

func modeNumber(name string) uint8 {
	for i, m := range Modes {
		if m == name {
			return uint8(i)
		}
	}
	return 0
}

// randomSeed is short enough to tell somebody.
func randomSeed() string {
	var b [8]byte
	rand.Read(b[:])
	return strconv.FormatUint(binary.BigEndian.Uint64(b[:])>>32, 10)
}
