// Kaddht measures go-libp2p-kad-dht as the lab experiment kademlia-peers measures
// our directory: hosts in one process over loopback, lookups of the 20 closest,
// cold (from a host that has just started and has no connection, but knows the
// addresses that another one knows), for another target, and for that once more. It is a module of its own, so that
// nobody who plays compiles it.
//
//	kaddht NODES LOOKUPS
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/libp2p/go-libp2p"
	dht "github.com/libp2p/go-libp2p-kad-dht"
	"github.com/libp2p/go-libp2p/core/host"
	"github.com/libp2p/go-libp2p/core/peerstore"
)

type node struct {
	host host.Host
	dht  *dht.IpfsDHT
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: kaddht NODES LOOKUPS")
	}
	nodes, err1 := strconv.Atoi(os.Args[1])
	lookups, err2 := strconv.Atoi(os.Args[2])
	if err1 != nil || err2 != nil || nodes < 2 || lookups < 1 {
		log.Fatal("usage: kaddht NODES LOOKUPS")
	}
	cold, warm, again, err := measure(context.Background(), nodes, lookups)
	if err != nil {
		log.Fatal(err)
	}
	json.NewEncoder(os.Stdout).Encode(map[string]float64{"cold_ms": median(cold), "warm_ms": median(warm), "again_ms": median(again)})
}

func start() (*node, error) {
	h, err := libp2p.New(libp2p.ListenAddrStrings("/ip4/127.0.0.1/udp/0/quic-v1"))
	if err != nil {
		return nil, err
	}
	d, err := dht.New(h, dht.Mode(dht.ModeServer), dht.ProtocolPrefix("/lab"), dht.DisableAutoRefresh())
	return &node{h, d}, err
}

func measure(ctx context.Context, nodes, lookups int) (cold, warm, again []float64, err error) {
	var all []*node
	for i := range nodes {
		n, err := start()
		if err != nil {
			return nil, nil, nil, err
		}
		all = append(all, n)
		for _, o := range all[:i] { // everybody knows everybody, as with k = 20 and 50 nodes nearly
			if err := n.host.Connect(ctx, *host.InfoFromHost(o.host)); err != nil {
				return nil, nil, nil, err
			}
		}
	}
	time.Sleep(3 * time.Second)
	for i := range lookups {
		fresh, err := start()
		if err != nil {
			return nil, nil, nil, err
		}
		for _, o := range all {
			fresh.host.Peerstore().AddAddrs(o.host.ID(), o.host.Addrs(), peerstore.PermanentAddrTTL)
			if _, err := fresh.dht.RoutingTable().TryAddPeer(o.host.ID(), true, false); err != nil {
				continue // its bucket is full
			}
		}
		for k, into := range []*[]float64{&cold, &warm, &again} {
			begin := time.Now()
			if _, err := fresh.dht.GetClosestPeers(ctx, fmt.Sprint("target ", i, min(k, 1))); err != nil {
				return nil, nil, nil, err
			}
			*into = append(*into, time.Since(begin).Seconds()*1e3)
		}
	}
	return cold, warm, again, nil
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}
