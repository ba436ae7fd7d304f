package kademlialab

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/cluster/kademlia"
	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/lab"
)

var RPCs = lab.Experiment{
	Name:   "kademlia-rpcs",
	Shows:  "what an RPC takes between two processes over loopback, authenticated and sealed; and in the simulator, that it does not grow with the network",
	Source: "dissertation figure 4.1; libp2p 55 µs, plain UDP 7 µs",
	Settings: []lab.Setting{
		{Name: "rpcs", Default: "20000", Text: "one after the other, of each kind"},
		{Name: "nodes", Default: "1000", Text: "size of the largest simulated network"},
	},
	Run: runKademliaRPCs,
}

const childRPC = "rpc"

// Children are the processes of the experiments with a directory.
var Children = lab.Children{childRPC: answererMain}

func runKademliaRPCs(t *lab.Trial) error {
	rpcs, nodes := t.Int("rpcs", 100), t.Int("nodes", 10)
	if err := t.Settings(); err != nil {
		return err
	}
	far, end, err := startAnswerer(t)
	if err != nil {
		return err
	}
	defer end()
	d, err := startDirNode(t.Seed, 1)
	if err != nil {
		return err
	}
	defer d.stop()
	table := lab.Table{Name: "rpcs", Title: "RPCs between two processes on loopback", Columns: []string{"", "µs p50", "µs p99"}}
	kinds := d.rpcKinds(far.Node)
	took := make([][]float64, len(kinds)+1)
	// By turns, so that what the machine does beside strikes all alike: how soon
	// a core wakes that has slept depends on what else there is to do.
	for len(took[0]) < rpcs {
		n := min(100, rpcs-len(took[0]))
		for i, k := range kinds {
			some, err := d.series(t, n, k.ask)
			if err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
			took[i] = append(took[i], some...)
		}
		some, err := plainRPCs(far.Echo, n)
		if err != nil {
			return err
		}
		took[len(kinds)] = append(took[len(kinds)], some...)
	}
	for i, k := range kinds {
		p50, p99 := lab.Percentile(took[i], 0.5), lab.Percentile(took[i], 0.99)
		table.Row(k.name, p50, p99)
		t.Against(k.metric+"p50_us", p50, "µs", 55)
		t.Metric(k.metric+"p99_us", p99, "µs")
	}
	plain := took[len(kinds)]
	table.Row("plain UDP, 64 bytes and back", lab.Percentile(plain, 0.5), lab.Percentile(plain, 0.99))
	t.Metric("udp_p50_us", lab.Percentile(plain, 0.5), "µs")
	// FIND_NODE is what most RPCs are.
	t.Metric("of_udp", lab.Percentile(took[findNodeKind], 0.5)/lab.Percentile(plain, 0.5), "")
	t.Table(table)
	return rpcsBySize(t, nodes)
}

// rpcKind is a procedure to be measured.
type rpcKind struct {
	name, metric string
	ask          func(then func(ok bool))
}

// findNodeKind is where FIND_NODE stands in rpcKinds.
const findNodeKind = 1

// rpcKinds are the procedures of the directory. Records are not signed here: the
// check of a signature is the same wherever it comes from.
func (d *dirNode) rpcKinds(far machine.Peer) []rpcKind {
	// The other node keeps for long only what it is among the nearest to.
	rec := kademlia.Record{Kind: kademlia.Chunk, Key: far.ID, Payload: make([]byte, 200)}
	call := func(r *kademlia.Request, good func(*kademlia.Reply) bool, then func(bool)) {
		d.kad.Call(far, r, func(a *kademlia.Reply) { then(a != nil && good(a)) })
	}
	return []rpcKind{
		{"PING", "ping_", func(then func(bool)) { d.kad.Ping(far, then) }},
		{"FIND_NODE, 20 contacts and more", "", func(then func(bool)) {
			call(&kademlia.Request{Proc: kademlia.FindNode, Key: id.Of([]byte("x"))},
				func(a *kademlia.Reply) bool { return len(a.Contacts) >= kademlia.DefaultK }, then)
		}},
		{"STORE, a record of 200 bytes", "store_", func(then func(bool)) {
			r := rec
			rec.Version++
			r.Version, r.Until = rec.Version, d.env.Now().Add(time.Hour)
			call(&kademlia.Request{Proc: kademlia.StoreChunk, Key: r.Key, Record: &r},
				func(a *kademlia.Reply) bool { return a.Code == kademlia.OK }, then)
		}},
		{"FIND_VALUE, that record", "find_value_", func(then func(bool)) {
			call(&kademlia.Request{Proc: kademlia.FindChunk, Key: rec.Key},
				func(a *kademlia.Reply) bool { return a.Record != nil }, then)
		}},
	}
}

// series runs RPCs one after the other and returns what each took, in µs.
func (d *dirNode) series(t *lab.Trial, rpcs int, ask func(then func(bool))) ([]float64, error) {
	took, done := make([]float64, 0, rpcs), make(chan error, 1)
	var next func()
	next = func() {
		begin := time.Now()
		ask(func(ok bool) {
			if len(took) == cap(took) {
				done <- nil
				return
			}
			if !ok {
				done <- errors.New("an RPC on loopback was not answered")
				return
			}
			took = append(took, float64(time.Since(begin).Nanoseconds())/1e3)
			next()
		})
	}
	if err := d.call(t.Context, next); err != nil {
		return nil, err
	}
	select {
	case err := <-done:
		return took, err
	case <-t.Context.Done():
		return nil, t.Context.Err()
	}
}

// rpcsBySize is figure 4.1: the round trip of a PING in simulated networks of
// growing size.
func rpcsBySize(t *lab.Trial, nodes int) error {
	table := lab.Table{Name: "by-size", Title: "A PING in simulated networks (figure 4.1): latencies of 20 ms and more each way", Columns: []string{"nodes", "ms p50", "ms mean"}}
	line := lab.Series{Name: "PING"}
	for _, size := range sizesUpTo(nodes) {
		n := newKadNet(t.Seed, 0, kademlia.Config{})
		n.fill(size, func() bool { return false })
		var took []float64
		for range 100 { // trials, as in the figure
			from, to := n.honest(), n.honest()
			if from == to {
				continue
			}
			from.Call(func() {
				begin := n.sim.Now()
				from.kad.Ping(to.Peer(), func(bool) { took = append(took, n.sim.Now().Sub(begin).Seconds()*1e3) })
			})
			n.sim.Run(50 * time.Millisecond)
		}
		n.sim.Run(2 * time.Second)
		table.Row(size, lab.Percentile(took, 0.5), lab.Mean(took))
		line.Points = append(line.Points, [2]float64{float64(size), lab.Mean(took)})
		if err := t.Context.Err(); err != nil {
			return err
		}
	}
	t.Table(table)
	t.Plot(lab.Plot{Name: "rpcs", Title: "Round trip of an RPC (figure 4.1)", X: "nodes", Y: "ms", Series: []lab.Series{line}})
	return nil
}

// plainRPCs are round trips of bare datagrams: what of an RPC's time is the
// machine's own, in the same run.
func plainRPCs(to netip.AddrPort, rpcs int) ([]float64, error) {
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(to))
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var b [64]byte
	took := make([]float64, 0, rpcs)
	for range rpcs {
		if err := c.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			return nil, err
		}
		begin := time.Now()
		if _, err := c.Write(b[:]); err != nil {
			return nil, err
		}
		if _, err := c.Read(b[:]); err != nil {
			return nil, fmt.Errorf("a bare datagram on loopback was not answered: %w", err)
		}
		took = append(took, float64(time.Since(begin).Nanoseconds())/1e3)
	}
	return took, nil
}

// echo sends what comes back to where it came from.
func echo(c *net.UDPConn) {
	var b [64]byte
	for {
		n, from, err := c.ReadFromUDPAddrPort(b[:])
		if err != nil {
			return
		}
		_, _ = c.WriteToUDPAddrPort(b[:n], from)
	}
}

// answerer is where the other process is reached.
type answerer struct {
	Node machine.Peer
	Echo netip.AddrPort // what comes is sent back
}

// startAnswerer starts this program again as a node that answers.
func startAnswerer(t *lab.Trial) (far answerer, end func(), err error) {
	c, err := lab.Start(t.Context, childRPC, os.Stderr)
	if err != nil {
		return far, nil, err
	}
	end = func() { _ = c.Close() } // it says on standard error what went wrong
	if err := c.Do(t.Seed, &far, 0); err != nil {
		end()
		return far, nil, err
	}
	return far, end, nil
}

// answererMain is the other process: a node that knows enough others to answer
// with k of them, until its input ends.
func answererMain(orders io.Reader, reports io.Writer) error {
	in := json.NewDecoder(orders)
	var seed uint64
	if err := in.Decode(&seed); err != nil {
		return err
	}
	d, err := startDirNode(seed, 0)
	if err != nil {
		return err
	}
	d.call(context.Background(), func() {
		for i := range 2000 {
			var b [8]byte
			binary.BigEndian.PutUint64(b[:], uint64(i))
			d.kad.Table().Seen(machine.Peer{ID: id.Of(b[:]), Addr: d.loop.Self().Addr})
		}
	})
	c, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return err
	}
	defer c.Close()
	go echo(c)
	if err := json.NewEncoder(reports).Encode(answerer{d.loop.Self(), c.LocalAddr().(*net.UDPAddr).AddrPort()}); err != nil {
		return err
	}
	_ = in.Decode(&seed) // until there is no more
	d.stop()
	return nil
}
