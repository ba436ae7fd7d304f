package kademlialab

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
	"github.com/voxelpopuli/voxelpopuli/internal/net/codec"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/socket"
)

// dirNode is a real directory node: a socket on loopback, a loop, authenticated
// datagrams; and nothing besides.
type dirNode struct {
	loop *transport.Loop
	sock *socket.Socket
	kad  *kademlia.Node
	env  machine.Env
	done chan kademlia.Result
}

// startDirNode starts node number n of a seed: both give its key.
func startDirNode(seed uint64, n int) (*dirNode, error) {
	s, err := socket.Listen("127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	var draw [16]byte
	binary.BigEndian.PutUint64(draw[:], seed)
	binary.BigEndian.PutUint64(draw[8:], uint64(n))
	keySeed := sha256.Sum256(draw[:])
	key := ed25519.NewKeyFromSeed(keySeed[:])
	d := &dirNode{sock: s, done: make(chan kademlia.Result, 1)}
	d.loop = transport.Start(transport.Config{
		Seed: seed + uint64(n) + 1, Workers: 1,
		Net: &transport.NetConfig{Key: key, Socket: s, World: id.Of([]byte("lab")), Codec: codec.New(), Open: true},
		Machine: func(env machine.Env) machine.Machine {
			d.env = env
			d.kad = kademlia.New(kademlia.Config{Self: id.Of(key.Public().(ed25519.PublicKey)), Events: d}, env)
			return d.kad
		},
	})
	return d, nil
}

// Found implements kademlia.Events.
func (d *dirNode) Found(_ uint64, r kademlia.Result) { d.done <- r }

// Stored implements kademlia.Events.
func (d *dirNode) Stored(uint64, int, map[kademlia.Code]int) {}

// Renew implements kademlia.Events.
func (d *dirNode) Renew(*kademlia.Record) {}

func (d *dirNode) stop() {
	d.loop.Stop()
	d.sock.Close()
}

func (d *dirNode) call(ctx context.Context, fn func()) error { return d.loop.Call(ctx, fn) }

// lookup runs a lookup and waits for its end.
func (d *dirNode) lookup(ctx context.Context, target id.ID) (r kademlia.Result, took time.Duration, err error) {
	begin := time.Now()
	if err := d.call(ctx, func() { d.kad.Lookup(0, target) }); err != nil {
		return r, 0, err
	}
	select {
	case r = <-d.done:
		return r, time.Since(begin), nil
	case <-time.After(time.Minute):
		return r, 0, errors.New("a lookup does not end")
	case <-ctx.Done():
		return r, 0, ctx.Err()
	}
}

// dirNetwork are nodes in this process that have joined by the first.
func dirNetwork(t *lab.Trial, size int) (all []*dirNode, stop func(), err error) {
	stop = func() {
		for _, d := range all {
			d.stop()
		}
	}
	for i := range size {
		d, err := startDirNode(t.Seed, i)
		if err != nil {
			stop()
			return nil, nil, err
		}
		all = append(all, d)
		if i > 0 {
			known := []machine.Peer{all[i/2].loop.Self()}
			if err := d.call(t.Context, func() { d.kad.Join(known) }); err != nil {
				stop()
				return nil, nil, err
			}
			if _, _, err := d.lookup(t.Context, d.loop.Self().ID); err != nil { // the join is under way
				stop()
				return nil, nil, err
			}
		}
		if i%100 == 99 {
			t.Logf("%d nodes", i+1)
		}
	}
	return all, stop, nil
}

// contacts are a node's contacts and the node itself.
func (d *dirNode) contacts(t *lab.Trial) (out []machine.Peer) {
	if d.call(t.Context, func() { out = d.kad.Table().Contacts(nil) }) != nil {
		return nil
	}
	return append(out, d.loop.Self())
}
