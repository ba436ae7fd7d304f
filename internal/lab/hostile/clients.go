package hostile

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/voxelpopuli/voxelpopuli/internal/app/client"
	"github.com/voxelpopuli/voxelpopuli/internal/core/fixed"
	"github.com/voxelpopuli/voxelpopuli/internal/core/rng"
	"github.com/voxelpopuli/voxelpopuli/internal/game/wire"
	"github.com/voxelpopuli/voxelpopuli/internal/game/world"
)

// Client is a player who knows the join code and does what a gateway and a region
// have to withstand, one attack after the other.
type Client struct {
	Addr string // host:port of the gateway
	Code string
	Seed uint64

	rand rng.Rand
	mu   sync.Mutex
	done map[string]int
	made int // identities
}

// attack is one of them; it ends with ctx, or earlier, and returns how often it did
// what it does.
type attack struct {
	name string
	run  func(c *Client, ctx context.Context) int
}

var attacks = []attack{
	{"malformed_messages", (*Client).malformed},
	{"acts_at_the_limit", (*Client).acts},
	{"acts_above_the_limit", (*Client).flood},
	{"control_frames", (*Client).controlFrames},
	{"reconnects", (*Client).reconnect},
	{"wrong_codes", (*Client).wrongCodes},
	{"long_chat", (*Client).chat},
	{"columns_again_and_again", (*Client).views},
	{"connections_left_open", (*Client).connections},
	{"steps_far_away", (*Client).farSteps},
}

// attackTime is how long a client does the same.
const attackTime = 3 * time.Second

// Run attacks until ctx ends, beginning with a certain attack.
func (c *Client) Run(ctx context.Context, first int) {
	c.mu.Lock()
	c.rand, c.done = rng.New(c.Seed, uint64(first), 0xa77), map[string]int{}
	c.mu.Unlock()
	for i := first; ctx.Err() == nil; i++ {
		a := attacks[i%len(attacks)]
		turn, stop := context.WithTimeout(ctx, attackTime)
		n := a.run(c, turn)
		stop()
		c.mu.Lock()
		c.done[a.name] += n
		c.mu.Unlock()
		pause(ctx, 50*time.Millisecond)
	}
}

// Done says how often each attack was made.
func (c *Client) Done() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]int{}
	for name, n := range c.done {
		out[name] = n
	}
	return out
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// enter joins with a new key and a new name, and reads what comes.
func (c *Client) enter(ctx context.Context) (client.Conn, *wire.Welcome) {
	c.made++
	who, err := client.NewIdentity(fmt.Sprintf("Mallory %d %d", c.Seed%1000, c.made))
	if err != nil {
		return nil, nil
	}
	conn, welcome, err := client.Dial(ctx, c.Addr, who, c.Code)
	if err != nil {
		pause(ctx, 100*time.Millisecond) // it is told to wait, and comes again anyway
		return nil, nil
	}
	go func() {
		for {
			if _, err := conn.Recv(); err != nil {
				return
			}
		}
	}()
	return conn, welcome
}

// playing enters again and again until ctx ends, and lets say send something as
// long as the gateway takes it.
func (c *Client) playing(ctx context.Context, rate int, say func(conn client.Conn, w *wire.Welcome, n uint32) error) (sent int) {
	for ctx.Err() == nil {
		conn, welcome := c.enter(ctx)
		if conn == nil {
			continue
		}
		for n := uint32(1); ctx.Err() == nil; n++ {
			if say(conn, welcome, n) != nil {
				break
			}
			sent++
			if rate > 0 {
				pause(ctx, time.Second/time.Duration(rate))
			}
		}
		conn.Close()
	}
	return sent
}

// malformed sends bytes that are no message, each time in a connection of its own.
func (c *Client) malformed(ctx context.Context) int {
	return c.playing(ctx, 0, func(conn client.Conn, _ *wire.Welcome, n uint32) error {
		b := make([]byte, 1+c.rand.Intn(3000))
		for i := range b {
			b[i] = byte(c.rand.Uint64())
		}
		return conn.Send(b)
	})
}

// act is one that is well formed, near where the player comes in.
func (c *Client) act(w *wire.Welcome, n uint32) *wire.Act {
	at := w.Spawn.Block()
	return &wire.Act{
		Seq: n, Kind: wire.ActKind(c.rand.Intn(14)), X: at.X + int32(c.rand.Intn(9)) - 4, Y: at.Y + int32(c.rand.Intn(5)) - 3,
		Z: at.Z + int32(c.rand.Intn(9)) - 4, Face: uint8(c.rand.Intn(6)), A: c.rand.Uint64() >> c.rand.Intn(64), B: uint32(c.rand.Intn(64)),
	}
}

// messagesAllowed is what a gateway lets a connection say in a second.
const messagesAllowed = 60

func (c *Client) acts(ctx context.Context) int {
	return c.playing(ctx, messagesAllowed-5, func(conn client.Conn, w *wire.Welcome, n uint32) error {
		return conn.Send(wire.Encode(c.act(w, n)))
	})
}

func (c *Client) flood(ctx context.Context) int {
	return c.playing(ctx, 0, func(conn client.Conn, w *wire.Welcome, n uint32) error {
		return conn.Send(wire.Encode(c.act(w, n)))
	})
}

func (c *Client) reconnect(ctx context.Context) int {
	return c.playing(ctx, 0, func(conn client.Conn, _ *wire.Welcome, n uint32) error {
		if n > 1 {
			return net.ErrClosed
		}
		return conn.Send(wire.Encode(&wire.View{Distance: wire.MaxView}))
	})
}

func (c *Client) chat(ctx context.Context) int {
	return c.playing(ctx, 20, func(conn client.Conn, _ *wire.Welcome, n uint32) error {
		text := strings.Repeat("ü", 500)
		if n%2 == 0 {
			text = "/msg Ann " + text
		}
		return conn.Send(wire.Encode(&wire.Say{Text: text}))
	})
}

// views asks for everything around, for little, and for everything again, and for
// far terrain.
func (c *Client) views(ctx context.Context) int {
	return c.playing(ctx, 20, func(conn client.Conn, w *wire.Welcome, n uint32) error {
		switch n % 3 {
		case 0:
			return conn.Send(wire.Encode(&wire.View{Distance: wire.MaxView, Far: wire.MaxFarView}))
		case 1:
			return conn.Send(wire.Encode(&wire.View{Distance: wire.MinView}))
		}
		at := w.Spawn.Block().Region()
		far := &wire.Far{}
		for range 8 {
			far.Regions = append(far.Regions, world.RegionPos{X: at.X + int32(c.rand.Intn(40)) - 20, Z: at.Z + int32(c.rand.Intn(40)) - 20})
		}
		return conn.Send(wire.Encode(far))
	})
}

// farSteps claims to be somewhere else with each step, with numbers that go back and
// leap.
func (c *Client) farSteps(ctx context.Context) int {
	return c.playing(ctx, 20, func(conn client.Conn, _ *wire.Welcome, n uint32) error {
		in := &wire.Input{Seq: n, Steps: []wire.Step{{Buttons: wire.Buttons(c.rand.Uint64()), Yaw: uint16(c.rand.Uint64())}}}
		if c.rand.OneIn(3) {
			in.Seq = uint32(c.rand.Uint64())
		}
		in.Pos = world.Vec{X: fixed.Int(c.rand.Intn(1<<17) - 1<<16), Y: fixed.Int(90), Z: fixed.Int(c.rand.Intn(1<<17) - 1<<16)}
		return conn.Send(wire.Encode(in))
	})
}
