package node

import (
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/accountability"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/copies"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/directory"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/lists"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/names"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/part"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/peers"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/routing"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shardgroup"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/verifiedworld"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/lobby"
)

// newNetwork makes the components and connects them.
func newNetwork(n *Node, cfg Net) *network {
	w := &network{n: n, cfg: cfg, tag: peers.TagOf(cfg.Self.ID)}
	w.cfg.Config = cfg.WithDefaults()
	w.spareUpload = copies.NewUploads(w.cfg.CopiesUpload)
	c := part.Part{Env: n.env, Cfg: &w.cfg.Config, Counts: &n.counts, Queue: n, Phase: &w.phase}
	w.accused = part.NewAccused(c.Env, c.Note)
	c.Accused = w.accused
	w.convicted = accountability.NewConvictions(c, cfg.Log)
	w.assembleNodes(c)
	w.assembleRouting(c)
	w.assembleHosting(c)
	w.assembleSessions(c)
	w.assembleLists(c)
	w.assembleEvidence(c)
	w.connect()
	return w
}

// assembleNodes makes what knows other nodes.
func (w *network) assembleNodes(c part.Part) {
	w.seen = peers.NewSightings(c)
	w.links = peers.NewLinks(c, w.seen)
	w.dir = directory.New(c, w.n.newSeat("directory"), w.seen, w.cfg.Verified.HostOrder())
	w.store = newNodeStore(c, w.n.newSeat(part.NodeSpace), w.dir, w.seen)
}

// assembleRouting makes what finds the leaders of shards.
func (w *network) assembleRouting(c part.Part) {
	w.routes = routing.New(c, w.links, w.dir, w.seen)
}

// assembleHosting makes what hosts shards here.
func (w *network) assembleHosting(c part.Part) {
	w.hosting = newHosting(c, w.links)
	w.jobs = part.NewRunner(w.n.newSeat("jobs"))
	w.hosting.convicted = w.convicted
	w.refusals = &refusals{Part: c, links: w.links, seen: w.seen, jobs: part.NewRunner(w.n.newSeat("refusals"))}
	w.hosting.refusals = w.refusals
	w.signatures = copies.NewSignatures(w.cfg.Signer, w.cfg.World)
	w.copies = copies.NewStore(c, w.n.newSeat("copies"))
	w.invitations = &invitations{Part: c, dir: w.dir, checks: map[shards.Shard]*hostCheck{}}
	w.creation = newGroupCreation(c, w.links, w.dir, w.seen)
	w.stored = newStoredShards(c, w.dir, w.creation, w.hosting.scanDisk())
	w.offers = &offers{Part: c, invited: func(node id.ID) id.ID { return w.access.InvitationOf(node) }, said: peers.NewOwn[hostOffer](w.links), links: w.links, own: w.creation}
	w.votes = &votePlacement{Part: c, links: w.links}
	w.departure = &departure{Part: c, links: w.links, hosting: w.hosting, offers: w.offers, store: w.store}
	w.restoration = &restoration{Part: c, convicted: w.convicted, signatures: w.signatures, links: w.links, dir: w.dir, seen: w.seen, copies: w.copies, hosting: w.hosting, refusals: w.refusals, objections: &objections{Part: c, since: map[shards.Shard]*objected{}}, inquiries: map[shards.Shard]*lossInquiry{}, resigning: map[shards.Shard]*lossInquiry{}}
	w.confirming = &confirming{Part: c, links: w.links, dir: w.dir, hosting: w.hosting, leaderOf: w.routes.LeaderOf, tell: w.tellSession, list: map[shards.Shard]*confirmation{}}
	w.hosting.confirming = w.confirming
	w.spares = copies.NewSpareKeeping(c, w.signatures, w.links, w.copies, w.invitations, w.hosting)
	w.fetching = copies.NewFetching(c, w.links, w.copies, w.spares)
	w.states = copies.NewSavedStates(c, w.links, w.dir, w.seen, w.copies)
	w.words = &words{Part: c, signatures: w.signatures, links: w.links, hosting: w.hosting, spares: w.spares, copies: w.copies}
	w.hosting.words = w.words
	w.merges, w.sources = copies.NewMerges(c, w.n.newSeat("merges"), w.signatures, w.links, w.copies, w.hosting, w.routes, w.n.cfg.Region.Terrain)
	w.restoring = copies.NewStateRestoring(c, w.links, w.hosting, w.routes, w.merges, w.copies, w.signatures, w.fetching, w.jobs, w.n.cfg.Region.Terrain)
	w.hosting.returned = w.restoring
	w.hosting.newReplica = func(p shards.Shard) *replica { return w.assembleReplica(c, p) }
}

// assembleReplica makes a replica of a shard with its parts.
func (w *network) assembleReplica(c part.Part, p shards.Shard) *replica {
	g := shardgroup.New(w.cfg.Self, p, runner{w.n}, c.Env.Now())
	h := &replica{
		Part: c, space: p.Space(), newSeat: w.n.newSeat, send: w.links.Send,
		runner: runner{w.n}, routes: w.routes, owner: w.hosting, setAside: w.copies.SetAside(p), group: g,
	}
	h.users = &shardUsers{
		Part: c, shard: p, links: w.links, guests: w.guests, replies: w.routes, deliver: w.onRouted, nodes: map[machine.Peer]bool{},
	}
	h.record = &shardRecord{Part: c, group: g, dir: w.dir}
	h.membership = &membership{Part: c, group: g, convicted: w.convicted, links: w.links, dir: w.dir, offers: w.offers, votes: w.votes, seen: w.seen, copies: w.copies}
	h.quorumLoss = &quorumLoss{Part: c, group: g, convicted: w.convicted, links: w.links, dir: w.dir, seen: w.seen, restoration: w.restoration}
	h.rollback = &rollbackCheck{Part: c, group: g, signatures: w.signatures, links: w.links, dir: w.dir, seen: w.seen, fetching: w.fetching}
	h.comparison = &comparison{Part: c, group: g, signatures: w.signatures, links: w.links, dir: w.dir, opened: h.serve}
	h.otherGroups = &otherGroups{
		Part: c, group: g, record: h.record, convicted: w.convicted, leaderless: h.quorumLoss, links: w.links, dir: w.dir, seen: w.seen, routes: w.routes,
		copies: w.copies,
	}
	h.spares = copies.NewSpareSending(c, w.signatures, g, w.links, w.dir, w.seen, &w.spareUpload)
	h.log = accountability.NewLogSending(c, w.cfg.Log, g, w.links, runner{w.n}, runner{w.n}, w.guests.signs, &w.packer)
	h.followed = accountability.NewLogFollowing(c, w.cfg.Log, g, w.links, w.n.cfg.Region, w.n.cfg.Lobby.Passes, w.convicted, w.jobs)
	return h
}

// assembleSessions makes what concerns players.
func (w *network) assembleSessions(c part.Part) {
	w.owner = newOwner(c, w.links)
	w.entries = newEntries(c, w.links)
	w.sessions = &gatewaySessions{
		Part: c, nextStrayNotice: peers.NewOwn[machine.Time](w.links), epoch: w.n.cfg.Region.Epoch, links: w.links, routes: w.routes, local: w.n,
		entered: map[id.ID]*lobby.Enter{}, owner: w.owner, confirming: w.confirming, lagging: map[stream]*laggingSession{},
	}
	w.names = names.New(c.Env)
	w.sessions.lines = &saidLines{Part: c, signed: w.n.cfg.Region.Signed, epoch: w.n.cfg.Region.Epoch, names: w.names}
	w.admission = newAdmission(c, w.links, w.names)
	w.guests = &remoteSessions{Part: c, of: peers.NewOwn[remoteSessionsOf](w.links), tag: w.tag, links: w.links, admission: w.admission, local: w.n, out: newOutbox()}
	w.guests.signs = accountability.NewShownSigning(c, w.links, w.guests.flush)
}

// assembleLists makes what the founder and the authority decide, and the node's place in
// a verified world.
func (w *network) assembleLists(c part.Part) {
	w.verified = verifiedworld.New(c, w.cfg.Verified, w.links, w.n.newSeat("overlay"), verifiedworld.Surroundings{
		Disk: w.store, Contacts: w.dir.Contacts, HasJoined: w.dir.HasJoined,
		Bars: w.Bars, DisconnectBarred: w.disconnectBarred, LeaderOf: w.routes.LeaderOf, ToSession: w.sessions.ToSession,
	})
	w.access = lists.NewAccess(c, w.cfg.Access, w.links, w.store, w.disconnectBarred)
}

// assembleEvidence makes what compares what players are shown, and spreads proofs.
func (w *network) assembleEvidence(c part.Part) {
	w.evidence = accountability.NewEvidenceSpreading(c, w.cfg.Log, w.n.newSeat("evidence"), w.links, w.routes, w.convicted)
	w.convicted.Routes = w.routes
	w.auditing = accountability.NewAuditing(c, w.cfg.Log, w.links, w.jobs, w.n.cfg.Region, w.convicted)
	w.pieces = accountability.NewPieceSending(c, w.cfg.Log, w.links, w.hosting, w.jobs, w.n.cfg.Region.Terrain)
	w.shown = accountability.NewShownChecking(c, w.cfg.Log, w.links, w.seen, w.routes, w.sessions, handedTo{w.hosting, runner{w.n}}, w.auditing)
	w.sessions.shown = w.shown
	w.handed = accountability.NewHandedOver(c, w.links, handedTo{w.hosting, runner{w.n}})
	w.unanswered = accountability.NewUnanswered(c, w.cfg.Log, w.links, w.routes, w.handed.Own)
	w.sessions.unanswered = w.unanswered
}

// connect gives components the narrow interfaces of those that are made later, and of
// the network.
func (w *network) connect() {
	w.links.Events = w
	w.store.loaded = w.recall
	w.dir.Renewer = w.hosting
	w.routes.Connect(routing.Surroundings{Hosting: w.hosting, Creation: w.creation, Sessions: w.sessions, Events: w, Convicted: w.convicted})
	w.hosting.copies, w.hosting.restoration, w.creation.restoration = w.copies, w.restoration, w.restoration
	w.hosting.invitations, w.hosting.stored, w.hosting.runner, w.hosting.players = w.invitations, w.stored, runner{w.n}, w.n
	w.creation.hosting, w.creation.stored, w.creation.offers, w.creation.routes = w.hosting, w.stored, w.offers, w.routes
	w.creation.convicted, w.offers.convicted = w.convicted, w.convicted
	w.votes.owner, w.votes.guests, w.votes.players, w.votes.hosted = w.owner, w.guests, w.n, w.hosting
	w.n.decisions.nextDecisions = peers.NewOwn[machine.Time](w.links)
	w.sessions.audited = w.verified
	w.admission.access = w.access
}
