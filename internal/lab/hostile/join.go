package hostile

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"log/slog"
	"net/netip"

	"github.com/voxelpopuli/voxelpopuli/internal/app/evidence"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/cluster/node/shards"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/identity"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/game/genesis"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/socket"
)

// KeyFarther is a key that solves the world's puzzle and whose id is farther from
// the keys of parts than another node's: the other one stays their host.
func KeyFarther(r *genesis.Record, than id.ID, parts []shards.Shard) (ed25519.PrivateKey, error) {
	for {
		key, err := identity.Solve(rand.Reader, int(r.Genesis.Difficulty), nil)
		if err != nil {
			return nil, err
		}
		farther := true
		for _, p := range parts {
			farther = farther && kademlia.Closer(shards.Key(r.World(), p), than, id.Of(key.Public().(ed25519.PublicKey)))
		}
		if farther {
			return key, nil
		}
	}
}

// Intruder is a hostile node that runs.
type Intruder struct {
	*Node
	loop   *transport.Loop
	socket *socket.Socket
}

// Join lets a hostile node into a world. Of cfg it sets Self and Codec. proof is
// its certificate, if the world has an authority.
func Join(r *genesis.Record, key ed25519.PrivateKey, proof []byte, cfg Config) (*Intruder, error) {
	s, err := socket.Listen("127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	cfg.Codec = evidence.NewGround(r).Codec()
	cfg.Self = machine.Peer{ID: id.Of(key.Public().(ed25519.PublicKey)), Addr: machine.AddrFrom(s.Addr())}
	in := &Intruder{socket: s}
	made := make(chan struct{})
	in.loop = transport.Start(transport.Config{
		Seed: cfg.Seed | 1, Log: slog.New(slog.DiscardHandler),
		Net: &transport.NetConfig{Key: key, Socket: s, World: r.World(), Codec: cfg.Codec, Proof: proof, About: r.Append(nil), Open: !r.Genesis.Verified()},
		Machine: func(env machine.Env) machine.Machine {
			in.Node = New(cfg, env)
			close(made)
			return in.Node
		},
	})
	<-made
	return in, nil
}

// Look runs a function between two handlers of the node.
func (in *Intruder) Look(ctx context.Context, look func(*Node)) error {
	return in.loop.Call(ctx, func() { look(in.Node) })
}

// Done is closed when the node has ended, also by a panic of its own; Err says why.
func (in *Intruder) Done() <-chan struct{} { return in.loop.Done() }

// Err is why the node has ended, once Done is closed.
func (in *Intruder) Err() error { return in.loop.Err() }

// Leave ends the node.
func (in *Intruder) Leave() error {
	err := in.loop.Stop()
	if closed := in.socket.Close(); err == nil {
		err = closed
	}
	return err
}

// PeerAt is a node as another one addresses it.
func PeerAt(who id.ID, at netip.AddrPort) machine.Peer {
	return machine.Peer{ID: who, Addr: machine.AddrFrom(at)}
}
