package clock

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/core/id"
)

// server is an NTP server (RFC 5905) whose clock shows what at says.
func server(t *testing.T, stratum byte, at func() time.Time) string {
	t.Helper()
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	go func() {
		var q [512]byte
		for {
			n, from, err := conn.ReadFrom(q[:])
			if err != nil {
				return
			}
			if n < 48 {
				continue
			}
			now := stamp(at())
			var a [48]byte
			a[0] = 4<<3 | 4 // version 4, mode server
			a[1] = stratum
			copy(a[24:32], q[40:48]) // origin: when the client sent it
			for _, field := range []int{16, 32, 40} {
				binary.BigEndian.PutUint64(a[field:], now)
			}
			if _, err := conn.WriteTo(a[:], from); err != nil {
				return
			}
		}
	}()
	return conn.LocalAddr().String()
}

// stamp is NTP's format: seconds since 1900, and a fraction.
func stamp(t time.Time) uint64 {
	sec := uint64(t.Unix() + 2208988800)
	return sec<<32 | uint64(t.Nanosecond())<<32/1e9
}

func ahead(c *Clock, d time.Duration) func() time.Time {
	return func() time.Time { return time.Unix(0, int64(c.Now())).Add(d) }
}

// near allows for what the exchange over loopback takes on a busy machine.
func near(got, want time.Duration) bool { return (got - want).Abs() < 5*time.Second }

func TestSyncAsksServers(t *testing.T) {
	c := New()
	servers := []string{
		server(t, 1, ahead(c, time.Hour)),
		server(t, 2, ahead(c, time.Hour)),
		server(t, 1, ahead(c, 1000*time.Hour)), // lies
		server(t, 0, ahead(c, 2000*time.Hour)), // kiss of death: does not count
	}
	s := NewSync(c, Config{Servers: servers, Timeout: time.Minute})
	offset, byServer, err := s.Once(t.Context())
	if err != nil || !byServer || !near(offset, time.Hour) {
		t.Fatalf("offset %v by a server: %v, %v", offset, byServer, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	before := c.Now()
	done := make(chan struct{})
	s = NewSync(c, Config{Servers: servers[:1], Every: time.Hour, Timeout: time.Minute})
	go func() { s.Run(ctx); close(done) }()
	for c.Now().Sub(before) < 59*time.Minute { // the clock jumps once the server has answered
		time.Sleep(time.Millisecond)
	}
	stop()
	<-done
}

func TestSyncCountsOnNeighbours(t *testing.T) {
	sys := &fake{}
	c := sys.clock()
	s := NewSync(c, Config{})
	who := func(n byte) id.ID { return id.ID{n} }
	s.Neighbour(who(1), 50*time.Millisecond, time.Millisecond)
	s.Neighbour(who(1), 50*time.Millisecond, time.Millisecond)
	s.Neighbour(who(2), 40*time.Millisecond, time.Millisecond)
	s.Neighbour(who(3), time.Hour, 2*time.Second) // too slow to say anything
	if _, _, err := s.Once(t.Context()); !errors.Is(err, ErrUnknown) {
		t.Errorf("with two neighbours: %v", err)
	}
	s.Neighbour(who(4), 1000*time.Hour, time.Millisecond) // lies
	if offset, byServer, err := s.Once(t.Context()); err != nil || byServer || offset != 50*time.Millisecond {
		t.Errorf("offset %v by a server: %v, %v", offset, byServer, err)
	}
	s.correct(50*time.Millisecond, false)
	sys.pass(time.Minute)
	if got := c.Now().Sub(0); got != time.Minute+50*time.Millisecond {
		t.Errorf("after the correction: %v", got)
	}
	if _, _, err := s.Once(t.Context()); !errors.Is(err, ErrUnknown) {
		t.Errorf("the same answers twice: %v", err)
	}
	for n := range 2 * most {
		s.Neighbour(id.ID{byte(n), byte(n >> 8)}, 0, 0)
	}
	if len(s.neighbours) != most {
		t.Errorf("%d neighbours are remembered", len(s.neighbours))
	}
	sys.pass(fresh + 1)
	if _, _, err := s.Once(t.Context()); !errors.Is(err, ErrUnknown) {
		t.Errorf("old answers: %v", err)
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		a    []time.Duration
		want time.Duration
	}{
		{[]time.Duration{5}, 5},
		{[]time.Duration{9, -1}, -1},
		{[]time.Duration{1, 900, 2}, 2},
		{[]time.Duration{-900, 3, 4, 900}, 3},
	} {
		if got := median(c.a); got != c.want {
			t.Errorf("%v: %v, want %v", c.a, got, c.want)
		}
	}
}
