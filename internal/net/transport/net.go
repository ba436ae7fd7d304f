package transport

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/binary"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/session"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/socket"
)

// Codec turns messages into bytes and back; it is called from many goroutines.
type Codec interface {
	// Append appends an encoded message to b. None begins with a zero byte.
	Append(b []byte, m machine.Message) ([]byte, error)
	// Decode reads a message, which keeps nothing of b.
	Decode(b []byte) (machine.Message, error)
}

// NetConfig is what a node needs to reach others. Key, Socket, World and Codec
// are needed.
type NetConfig struct {
	// Key is the node's: its id is that of the public key.
	Key ed25519.PrivateKey
	// Socket is the node's one UDP port (socket.Listen). It is read while the
	// loop runs, and closed by whoever opened it.
	Socket *socket.Socket
	// World is the world's id: nodes of other worlds are refused.
	World id.ID
	Codec Codec
	// Proof is shown to every other node, at most MaxProof bytes. Admit says
	// why a node with that key and proof is not let in; nil: everyone is. It is
	// called from many goroutines.
	Proof []byte
	Admit func(pub ed25519.PublicKey, proof []byte) error

	// Open lets nodes ask, and be answered by the machine (machine.Answerer),
	// before they have shown who they are: in a world that admits anybody.
	Open bool

	// About is told to whoever asks what world this is (Ask), at most MaxAbout
	// bytes: how it begins. Empty: nobody is told. MayAsk says why who has that key
	// and proof is not told; nil: everyone is.
	About  []byte
	MayAsk func(pub ed25519.PublicKey, proof []byte) error
	// Files gives who may ask files by their names (AskFile), nil for one that there is not;
	// it is called from many goroutines. nil: there are none.
	Files func(FileName) []byte
	// Stranger hears where a node is that says to be of another world; it is called from many
	// goroutines and must not wait. May be nil.
	Stranger func(at netip.AddrPort)

	MaxLinks   int           // to other nodes; 0: DefaultMaxLinks
	PerAddress int           // links that nodes at one address may open; 0: DefaultPerAddress
	MaxMessage int           // bytes of an encoded message on a link; 0: DefaultMaxMessage
	Dead       time.Duration // a link without a sign of life for so long has failed; 0: DefaultDead
	Linger     time.Duration // a link that was closed may take so long to send what waits; 0: DefaultLinger
}

// Defaults and limits of NetConfig.
const (
	DefaultMaxLinks   = 4096
	DefaultPerAddress = 128
	DefaultMaxMessage = 4 << 20
	DefaultDead       = 3 * time.Second
	DefaultLinger     = 5 * time.Second
	// MaxProof is the longest proof: it has to fit into a handshake's packet.
	MaxProof = session.MaxProof
)

// lasts of a link's life.
const (
	// goodbye is Linger for all links when the node stops.
	goodbye = time.Second
	// overtake is how long a link that the other end has given up (it opened
	// another) may take to deliver the rest.
	overtake = time.Second
)

// Show gives the node another proof (NetConfig.Proof), for links and sessions that
// are made from now on. The loop has to be one with a network.
func (l *Loop) Show(ctx context.Context, proof []byte) error {
	if err := l.net.sessions.Show(proof); err != nil {
		return err
	}
	return l.Call(ctx, func() { l.net.cfg.Proof = proof })
}

// network is the part of a loop that reaches other nodes.
type network struct {
	l    *Loop
	cfg  NetConfig
	self id.ID
	// instance is drawn at each start: the other end can tell a restart from a
	// link that was opened anew.
	instance uint64

	sessions  *session.Table
	chores    chores
	datagrams datagramPaths
	quic      *quic.Transport
	listener  *quic.Listener
	tls       identity
	began     time.Time
	ctx       context.Context // ends with the network
	cancel    context.CancelFunc
	live      sync.WaitGroup // goroutines
	guests    *guests        // what others open
	arrived   atomic.Int32   // datagrams in the inbox
	warned    atomic.Int64   // when somebody of another version was reported last
	tally     tally
	failures  *failures // of links, as they were told
	files     *fileBudget

	mu    sync.Mutex
	conns map[*connection]bool // open, or on their way to a link
	none  chan struct{}        // closed when there are none; nil: nobody waits

	// Only the loop touches these.
	seq     uint64 // of links, in the order they were opened or accepted
	links   int
	scratch []byte // for encoding
}

// startNetwork panics only if the configuration cannot work at all.
func startNetwork(l *Loop, cfg NetConfig) *network {
	if cfg.MaxLinks <= 0 {
		cfg.MaxLinks = DefaultMaxLinks
	}
	if cfg.PerAddress <= 0 {
		cfg.PerAddress = DefaultPerAddress
	}
	if cfg.MaxMessage <= 0 {
		cfg.MaxMessage = DefaultMaxMessage
	}
	if cfg.Dead <= 0 {
		cfg.Dead = DefaultDead
	}
	if cfg.Linger <= 0 {
		cfg.Linger = DefaultLinger
	}
	if len(cfg.Proof) > MaxProof {
		panic("transport: the proof is too long")
	}
	if len(cfg.About) > MaxAbout {
		panic("transport: About is too long")
	}
	n := &network{l: l, cfg: cfg, self: id.Of(cfg.Key.Public().(ed25519.PublicKey)), guests: newGuests(cfg.PerAddress), conns: map[*connection]bool{}, failures: newFailures(), files: newFileBudget(), began: time.Now()}
	var b [8]byte
	rand.Read(b[:])
	n.instance = binary.LittleEndian.Uint64(b[:])
	n.ctx, n.cancel = context.WithCancel(context.Background())
	n.startSessions()
	n.listen()
	n.live.Go(n.watchLinks)
	return n
}

// Self is the node's own id and local address; without a network the zero Peer.
func (l *Loop) Self() machine.Peer {
	if l.net == nil {
		return machine.Peer{}
	}
	return machine.Peer{ID: l.net.self, Addr: machine.AddrFrom(l.net.cfg.Socket.Addr())}
}

// stop ends all links and everything that runs; the loop has ended.
func (n *network) stop(how machine.LinkEvent) {
	for _, k := range n.l.links {
		if k.far != nil {
			k.end(how)
			k.far.giveUp()
			if a := k.far.next; a != nil {
				n.drop(a, codeFailed)
			}
		}
	}
	select {
	case <-n.allClosed():
	case <-time.After(goodbye):
		n.abortAll()
	}
	n.cancel()
	if n.listener != nil {
		n.listener.Close()
	}
	n.sessions.Close()
	n.quic.Close()
	n.live.Wait()
}

// track notes a connection.
func (n *network) keep(c *connection) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conns[c] = true
}

// release notes that a connection is over.
func (n *network) release(c *connection) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.conns, c)
	if len(n.conns) == 0 && n.none != nil {
		close(n.none)
		n.none = nil
	}
}

// allClosed is closed when there is no connection any more.
func (n *network) allClosed() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	none := make(chan struct{})
	if len(n.conns) == 0 {
		close(none)
	} else {
		n.none = none
	}
	return none
}

func (n *network) abortAll() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for c := range n.conns {
		n.live.Go(func() { c.abort(codeFailed) })
	}
}
