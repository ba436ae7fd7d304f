package transport

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
	"github.com/voxelpopuli/voxelpopuli/internal/core/machine"
	"github.com/voxelpopuli/voxelpopuli/internal/net/transport/socket"
)

// rpc is a procedure call, or its answer, with a body of some length.
type rpc struct {
	Number uint64
	Body   []byte
}

func (*rpc) Datagram() {}

// load is the same over a link.
type load rpc

// quick is the same over a link's datagram path.
type quick rpc

func (*quick) Quick() bool { return true }

type benchCodec struct{}

func (benchCodec) Append(b []byte, m machine.Message) ([]byte, error) {
	switch m := m.(type) {
	case *rpc:
		return append(binary.BigEndian.AppendUint64(append(b, 0), m.Number), m.Body...), nil
	case *load:
		return append(binary.BigEndian.AppendUint64(append(b, 1), m.Number), m.Body...), nil
	case *quick:
		return append(binary.BigEndian.AppendUint64(append(b, 2), m.Number), m.Body...), nil
	}
	return b, errTest
}

func (benchCodec) Decode(b []byte) (machine.Message, error) {
	if len(b) < 9 {
		return nil, errTest
	}
	switch b[0] {
	case 0:
		return &rpc{binary.BigEndian.Uint64(b[1:]), append([]byte(nil), b[9:]...)}, nil
	case 2:
		return &quick{binary.BigEndian.Uint64(b[1:]), append([]byte(nil), b[9:]...)}, nil
	}
	return &load{binary.BigEndian.Uint64(b[1:]), append([]byte(nil), b[9:]...)}, nil
}

// echoEnv names the helper process of the benchmarks.
const echoEnv = "VOXELPOPULI_TEST_ECHO"

func TestMain(m *testing.M) {
	if os.Getenv(echoEnv) != "" {
		echoProcess()
		return
	}
	os.Exit(m.Run())
}

func benchNode(key byte, f *fake) (*Loop, *socket.Socket) {
	s, err := socket.Listen("127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	nc := NetConfig{Key: testKey(key), Socket: s, World: id.Of([]byte("world")), Codec: benchCodec{}}
	return Start(Config{Machine: f.build, Net: &nc}), s
}

// echoProcess answers every call with 1100 bytes and every load and quick with its number,
// until its input ends.
func echoProcess() {
	f := &fake{}
	body := make([]byte, 1100)
	f.message = func(from machine.Peer, m machine.Message) {
		switch m := m.(type) {
		case *rpc:
			f.env.Send(from, &rpc{m.Number, body})
		case *load:
			f.env.Send(from, &load{Number: m.Number})
		case *quick:
			f.env.Send(from, &quick{Number: m.Number})
		}
	}
	l, s := benchNode(2, f)
	plain, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		panic(err)
	}
	go plainEcho(plain, body)
	fmt.Println(s.Addr(), plain.LocalAddr())
	bufio.NewReader(os.Stdin).ReadString('\n')
	l.Stop()
}

// plainEcho answers every packet with body.
func plainEcho(c *net.UDPConn, body []byte) {
	buf := make([]byte, 2048)
	for {
		_, from, err := c.ReadFromUDPAddrPort(buf)
		if err != nil {
			return
		}
		c.WriteToUDPAddrPort(body, from)
	}
}

// BenchmarkPlainUDP is the same without anything of ours: what is to be
// compared with on this machine at this moment.
func BenchmarkPlainUDP(b *testing.B) {
	_, to := echoPeer(b)
	c, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(to))
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	buf := make([]byte, 2048)
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		if _, err := c.Write(buf[:64]); err != nil {
			b.Fatal(err)
		}
		if _, err := c.Read(buf); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(began))
	}
	report(b, took)
}

func report(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1000, "p99-µs")
}

// echoPeer starts the helper process.
func echoPeer(b *testing.B) (far machine.Peer, plain netip.AddrPort) {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), echoEnv+"=1")
	cmd.Stderr = os.Stderr
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { in.Close(); cmd.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	words := strings.Fields(line)
	far = machine.Peer{ID: testID(2), Addr: machine.AddrFrom(netip.MustParseAddrPort(words[0]))}
	return far, netip.MustParseAddrPort(words[1])
}

// BenchmarkRPC is a datagram of 64 bytes to another process and its answer of
// 1100, one at a time.
func BenchmarkRPC(b *testing.B) {
	benchRPC(b, func(n uint64) machine.Message { return &rpc{n, make([]byte, 64)} })
}

// BenchmarkLinkRPC is the same over a link.
func BenchmarkLinkRPC(b *testing.B) {
	benchRPC(b, func(n uint64) machine.Message { return &load{n, make([]byte, 64)} })
}

// BenchmarkDatagramPathRPC is the same over a link's datagram path.
func BenchmarkDatagramPathRPC(b *testing.B) {
	benchRPC(b, func(n uint64) machine.Message { return &quick{n, make([]byte, 64)} })
}

func benchRPC(b *testing.B, call func(uint64) machine.Message) {
	far, _ := echoPeer(b)
	f := &fake{}
	var began time.Time
	var took []time.Duration
	done := make(chan struct{})
	next := func() {
		began = time.Now()
		f.env.Send(far, call(uint64(len(took))))
	}
	warm := false
	f.message = func(machine.Peer, machine.Message) {
		if !warm {
			warm = true
			done <- struct{}{}
			return
		}
		if took = append(took, time.Since(began)); len(took) == b.N {
			done <- struct{}{}
			return
		}
		next()
	}
	f.link = func(machine.Peer, machine.LinkEvent) {}
	l, s := benchNode(1, f)
	defer s.Close()
	defer l.Stop()
	l.Call(b.Context(), func() { f.env.Open(far); next() })
	<-done
	b.ReportAllocs()
	b.ResetTimer()
	l.Call(b.Context(), next)
	<-done
	b.StopTimer()
	report(b, took)
}

// BenchmarkLinkThroughput is messages of 64 KiB over a link within this
// process: both ends share its CPUs.
func BenchmarkLinkThroughput(b *testing.B) {
	const size = 64 << 10
	got := make(chan int, 1)
	count := 0
	f := &fake{}
	f.message = func(machine.Peer, machine.Message) {
		if count++; count == b.N {
			got <- count
		}
	}
	far, s := benchNode(2, f)
	defer s.Close()
	defer far.Stop()
	g := &fake{}
	up := make(chan struct{})
	g.link = func(_ machine.Peer, ev machine.LinkEvent) {
		if ev == machine.LinkUp {
			close(up)
		}
	}
	l, t := benchNode(1, g)
	defer t.Close()
	defer l.Stop()
	l.Call(b.Context(), func() { g.env.Open(far.Self()) })
	<-up
	m := &load{Body: make([]byte, size)}
	b.SetBytes(size)
	b.ResetTimer()
	for sent := 0; sent < b.N; {
		l.Call(b.Context(), func() {
			for ; sent < b.N && !machine.Crowded(g.env, far.Self()); sent++ {
				g.env.Send(far.Self(), m)
			}
		})
		time.Sleep(100 * time.Microsecond)
	}
	<-got
}

// BenchmarkIdleLinks is what an end of a link that nothing is sent over takes:
// heap, stacks and goroutines, both ends in this process.
func BenchmarkIdleLinks(b *testing.B) {
	const links = 100
	type end struct {
		l *Loop
		s *socket.Socket
	}
	for b.Loop() {
		f := &fake{}
		up := make(chan struct{}, links)
		f.link = func(_ machine.Peer, ev machine.LinkEvent) {
			if ev == machine.LinkUp {
				up <- struct{}{}
			}
		}
		var all []end
		for i := range byte(links + 1) {
			g := &fake{}
			if i == 0 {
				g = f
			}
			l, s := benchNode(i, g)
			all = append(all, end{l, s})
			l.Call(b.Context(), func() {})
		}
		heap, stacks, routines := memory()
		began := time.Now()
		all[0].l.Call(b.Context(), func() {
			for _, e := range all[1:] {
				f.env.Open(e.l.Self())
			}
		})
		for range links {
			<-up
		}
		took := time.Since(began)
		time.Sleep(2 * time.Second) // what the handshakes needed is given back
		h, st, r := memory()
		b.ReportMetric(float64(h-heap)/2/links/1024, "heap-KiB/end")
		b.ReportMetric(float64(st-stacks)/2/links/1024, "stack-KiB/end")
		b.ReportMetric(float64(r-routines)/2/links, "goroutines/end")
		b.ReportMetric(float64(took.Microseconds())/links, "µs/link")
		for _, e := range all {
			e.l.Stop()
			e.s.Close()
		}
	}
}

func memory() (heap, stacks, routines int) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc), int(m.StackInuse), runtime.NumGoroutine()
}
